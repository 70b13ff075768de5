#compdef entire-plumb
# entire-plumb completion for zsh: eval "$(entire-plumb completion zsh)"

_entire_plumb() {
  local -a found
  local line value about files=
  for line in "${(@f)$("${(Q)words[1]/#\~\//$HOME/}" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    case $line in
      '') continue ;;
      :files) files=1; continue ;;
    esac
    value=${line%%$'\t'*}
    about=
    [[ $line == *$'\t'* ]] && about=:${line#*$'\t'}
    found+=("${${value//\\/\\\\}//:/\\:}$about")
  done
  (( $#found )) && _describe -V 'entire-plumb' found
  if [[ -n $files ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
  fi
}

if [[ ${funcstack[1]} == _entire_plumb ]]; then
  _entire_plumb "$@"
else
  compdef _entire_plumb entire-plumb
fi
