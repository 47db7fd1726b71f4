#!/bin/sh
# includes.sh [ROOT]: the include law. A folder of src/ includes headers of lower floors (src/floors.txt) and of its own,
# never of a higher floor or of a neighbour; kernels/ and include/ include nothing of src/. SPDX-License-Identifier: MIT
#
# Prints one line for each include that breaks it, and exits 1 when there was one.
cd "${1:-.}" || exit 2
status=0

# Folders without a floor, and floors without a folder's name.
for path in src/*/; do
  folder=$(basename "$path")
  grep -q "^${folder}[[:space:]]" src/floors.txt && continue
  echo "src/floors.txt: the folder src/$folder has no floor: add a line \"$folder N\", above everything it includes"
  status=1
done

# A folder that is not there yet holds nothing to check.
find src kernels include -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.hip' -o -name '*.cuh' \) 2>/dev/null |
  LC_ALL=C sort | xargs awk '
  BEGIN {
    while ((getline line < "src/floors.txt") > 0)
      if (line !~ /^#/ && split(line, f, /[ \t]+/) >= 2) floor[f[1]] = f[2] + 0
  }
  function refuse(text) { print FILENAME ":" FNR ": " text; bad = 1 }
  function exists(path,   line, r) { r = (getline line < path); close(path); return r >= 0 }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name); sub(/[">].*/, "", name)
    split(FILENAME, part, "/")
    slash = index(name, "/")
    target = slash ? substr(name, 1, slash - 1) : ""
    if (part[1] == "src" && !(part[2] in floor)) next # said above
    of_src = target in floor && exists("src/" name)
    if (name ~ /\.\.\//) refuse("includes \"" name "\": name a header by its path below src/ (\"records/row.h\")")
    else if (part[1] != "src") {
      if (of_src || name ~ /^src\//)
        refuse(part[1] "/ includes \"" name "\" of src/: what both need belongs in " part[1] "/")
    } else if (of_src && target != part[2]) {
      own = part[2]
      where = own " (floor " floor[own] ") includes \"" name "\" of " target " (floor " floor[target] "): "
      if (floor[target] > floor[own])
        refuse(where "an upward include: move what is needed down, or the caller up")
      else if (floor[target] == floor[own])
        refuse(where "a neighbour: move what both need to a lower floor, or join them in a higher one")
    } else if (!of_src && /include[ \t]*"/ && !exists("kernels/cpu/" name) && !exists("kernels/gpu/" name) &&
               !exists("include/" name) && !exists("src/" part[2] "/" name) && target != "registry") # which the build writes
      refuse("includes \"" name "\", which is not in src/, include/ or kernels/: <> is for the system")
  }
  END { exit bad }' || status=1
exit $status
