# SPDX-License-Identifier: MIT
# Models of the arenas' protocols, searched by spin.

EXTRA_DIST += tests/model/gone.pml tests/model/hand.pml tests/model/inside.pml tests/model/model.sh tests/model/returns.pml tests/model/ring.pml tests/model/slots.pml tests/model/word.pml
CHECK_LONG += tests/model/model.sh:300
