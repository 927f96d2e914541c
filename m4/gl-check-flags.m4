# SPDX-License-Identifier: MIT
# GL_CHECK_CFLAG(FLAG, IF-TAKEN, [IF-NOT]): does the compiler take FLAG without complaint?
AC_DEFUN([GL_CHECK_CFLAG],
[AC_MSG_CHECKING([whether $CC takes $1])
gl_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
  [AC_MSG_RESULT([yes]); CFLAGS=$gl_save_CFLAGS; $2],
  [AC_MSG_RESULT([no]); CFLAGS=$gl_save_CFLAGS; $3])])

# GL_CHECK_LDFLAG(FLAG, IF-TAKEN): does the linker take FLAG?
AC_DEFUN([GL_CHECK_LDFLAG],
[AC_MSG_CHECKING([whether the linker takes $1])
gl_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM()],
  [AC_MSG_RESULT([yes]); LDFLAGS=$gl_save_LDFLAGS; $2],
  [AC_MSG_RESULT([no]); LDFLAGS=$gl_save_LDFLAGS])])

# GL_OPTIONAL_MODULE(VARIABLE, PKG-CONFIG-MODULE, OPTION, PURPOSE)
# --with-OPTION insists, --without-OPTION leaves it out, neither takes it when found.
AC_DEFUN([GL_OPTIONAL_MODULE],
[AC_ARG_WITH([$3], [AS_HELP_STRING([--without-$3], [build without $2 ($4)])],
  [], [AS_TR_SH([with_$3])=auto])
AS_TR_SH([have_]m4_tolower([$1]))=no
AS_IF([test "x$AS_TR_SH([with_$3])" != xno],
  [PKG_CHECK_MODULES([$1], [$2], [AS_TR_SH([have_]m4_tolower([$1]))=yes],
    [AS_IF([test "x$AS_TR_SH([with_$3])" = xyes], [AC_MSG_ERROR([$2 was asked for and not found])])])])
AM_CONDITIONAL([HAVE_$1], [test "$AS_TR_SH([have_]m4_tolower([$1]))" = yes])
AS_IF([test "$AS_TR_SH([have_]m4_tolower([$1]))" = yes],
  [AC_DEFINE([HAVE_$1], [1], [$2 is there ($4).])])])
