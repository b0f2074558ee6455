#!/usr/bin/env bash
# Captions the recordings in FOLDER that are kept by Git and have no captions of the first format beside them.
set -euo pipefail
captioner=${CAPTIONER:-$GITHUB_ACTION_PATH/../../scripts/captioner.mjs}
first=${FORMATS%%,*}
if ! command -v ffmpeg >/dev/null; then sudo apt-get update -q && sudo apt-get install -qy ffmpeg; fi
git ls-files -z -- "$FOLDER" | {
  failed=0
  while IFS= read -r -d '' recording; do
    case ${recording,,} in
      *.mp3 | *.mp4 | *.m4a | *.m4v | *.mkv | *.mov | *.webm | *.wav | *.flac | *.ogg) ;;
      *) continue ;;
    esac
    if [ -e "${recording%.*}.$first" ]; then continue; fi
    # Standard input is the list of recordings. One that fails does not hold up the others.
    node "$captioner" "./$recording" -o "$(dirname -- "./$recording")/" -f "$FORMATS" -l "$SPOKEN" \
      ${GLOSSARY:+-g "$GLOSSARY"} </dev/null || failed=1
  done
  exit "$failed"
}
