# header_man.awk: gradus(3), the manual page of the library, from the contracts in its headers.
# SPDX-License-Identifier: MIT
#
#   awk -f header_man.awk -v version=0.1.0 include/gradus/gradus.h include/gradus/cblas.h
#
# A comment at the margin is text, and what stands below it, up to the next empty line or comment, is shown as it is. In
# the text, lines that are set in by four blanks or more are tables.

function escaped(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  if (s ~ /^[.']/) s = "\\&" s
  return s
}
# No space below a heading.
function space() { if (!heading) print ".PP"; heading = 0 }
function begin_code() {
  if (!code) { space(); print ".nf" }
  code = 1
}
function end_code() { if (code) print ".fi"; code = 0 }
function begin_text() {
  end_code()
  if (!text) space()
  text = 1
}

# say LINE: a line of a comment, without its frame.
function say(line) {
  sub(/^ *\* ?/, "", line)
  if (line ~ /SPDX-License-Identifier/) return
  if (line ~ /^    /) { begin_code(); print escaped(line); text = 0; return }
  if (line ~ /^ *$/) { end_code(); text = 0; return }
  begin_text()
  print escaped(line)
}

BEGIN {
  printf ".\\\" Made by scripts/header_man.awk. SPDX-License-Identifier: MIT\n"
  printf ".TH GRADUS 3 \"\" \"gradus %s\" \"Library Functions\"\n", version
  print ".SH NAME\ngradus \\- matrix products, C = alpha*op(A)*op(B) + beta*C"
  print ".SH LIBRARY\nlibgradus (\\-lgradus; pkg\\-config: gradus; CMake: find_package(gradus), gradus::gradus)"
  print ".SH SYNOPSIS\n.nf\n#include <gradus/gradus.h>\n#include <gradus/cblas.h>\n.fi"
}

FNR == 1 {
  end_code()
  comment = text = started = 0
  name = FILENAME
  sub(/.*\//, "", name)
  printf ".SH <gradus/%s>\n", name
  heading = 1
}

# A header's guard, what it includes, and what makes it C++ and visible are nobody's concern here.
/^#define GRADUS_[A-Z_]*_H$/ { started = 1; next }
/^#(if|ifn?def|else|endif|include|undef)/ || /^#define GRADUS_(API|VERSION)/ || /^(extern "C" {|})$/ { next }

comment {
  last = /\*\/ *$/
  sub(/ *\*\/ *$/, "")
  say($0)
  comment = !last
  next
}
/^\/\*/ {
  text = 0
  sub(/^\/\*/, " *")
  comment = !/\*\/ *$/
  sub(/ *\*\/ *$/, "")
  if (!started && sub(/^ \* [a-z]*\.h: /, "")) $0 = " * " toupper(substr($0, 1, 1)) substr($0, 2)
  say($0)
  next
}
/^ *$/ { end_code(); text = 0; next }
{
  if (sub(/^GRADUS_API /, "")) moved = 11 # and so are the lines that continue the declaration
  else if (/^ /) $0 = substr($0, moved + 1)
  if (/;$/) moved = 0
  sub(/ *\\$/, "")
  begin_code()
  text = 0
  print escaped($0)
}

END {
  end_code()
  print ".SH ENVIRONMENT\nGRADUS_NUM_THREADS, GRADUS_ISA and GRADUS_CPU_MASK: see\n.BR gradus (1)."
}
