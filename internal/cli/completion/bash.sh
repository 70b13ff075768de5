# entire-plumb completion for bash: eval "$(entire-plumb completion bash)"

# The words up to the cursor, as the shell takes them. bash splits them at "=" and ":" too.
_entire_plumb_words() {
  local rest=${COMP_LINE:0:COMP_POINT} bare piece i n=-1
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    bare=${rest#"${rest%%[![:space:]]*}"}
    piece=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then piece=$bare; fi
    if ((n < 0)) || [[ $bare != "$rest" || -z $piece ]]; then
      n=$((n + 1))
      words[n]=
    fi
    words[n]+=$piece
    rest=${bare#"$piece"}
  done
}

_entire_plumb() {
  local words word line value about kept files='' all=() told=()
  _entire_plumb_words
  word=${words[${#words[@]} - 1]//\\/}
  word=${word#[\"\']}
  words[${#words[@]} - 1]=$word
  # What stands before the last "=" or ":" of a word stays as it is.
  kept=${word%"${word##*[=:]}"}
  if [[ $kept == *=* && $COMP_WORDBREAKS != *=* || $kept == *:* && $COMP_WORDBREAKS != *:* ]]; then kept=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
      continue
    fi
    value=${line%%$'\t'*} about=
    if [[ $line == *$'\t'* ]]; then about=${line#*$'\t'}; fi
    value=${value#"$kept"}
    if [[ $value == *[!a-zA-Z0-9_./,=:@%+^-]* ]]; then printf -v value %q "$value"; fi
    all+=("$value")
    told+=("$value${about:+  ($about)}")
  done < <("${1/#\~\//$HOME/}" complete -- "${words[@]:1}" 2>/dev/null)
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do all+=("$line") told+=("$line"); done < <(compgen -f -- "${word#"$kept"}")
  fi
  # What a word stands for is shown in lists, and never typed.
  if ((${#all[@]} > 1)) && [[ -z $files && ( $COMP_TYPE == 63 || $COMP_TYPE == 33 ) ]]; then
    COMPREPLY=("${told[@]}")
  else
    COMPREPLY=("${all[@]}")
  fi
}

complete -F _entire_plumb entire-plumb
