# shellcheck shell=bash
# fetch_stranger.sh: sourced by what needs the public repositories of a list. SPDX-License-Identifier: MIT

# fetch FOLDER REPOSITORY COMMIT: whether the repository lies in FOLDER, by owner and name; FETCH=1 clones it.
fetch() {
  local folder=$1 repository=$2 commit=$3 to=$1/$2
  [[ -d $to ]] && return
  if [[ ${FETCH:-0} != 1 ]]; then
    echo "$repository: not in $folder: git clone https://github.com/$repository '$to' && git -C '$to' checkout $commit"
    return 1
  fi
  git clone -q "https://github.com/$repository" "$to" && git -C "$to" checkout -q "$commit"
}
