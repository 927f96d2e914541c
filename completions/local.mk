# SPDX-License-Identifier: MIT
# Completion for bash and zsh, in the folders where the shells look.

bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
dist_bashcompletion_DATA = completions/gc-allreduce.bash completions/gc-arena-bench.bash completions/gc-asm.bash completions/gc-dxbc.bash completions/gc-run.bash completions/gc-spv-val.bash
dist_zshcompletion_DATA = completions/_gc-allreduce completions/_gc-arena-bench completions/_gc-asm completions/_gc-dxbc completions/_gc-run completions/_gc-spv-val
