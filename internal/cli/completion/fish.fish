# entire-plumb completion for fish: entire-plumb completion fish | source

function __entire_plumb_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program complete -- $words "$current" 2>/dev/null)
        if test "$line" = :files
            set -l kept (string match -r -- '^--[^=]*=' "$current")
            for file in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
                echo -- "$kept$file"
            end
        else
            echo -- $line
        end
    end
end

complete -c entire-plumb -e
complete -c entire-plumb -k -f -a '(__entire_plumb_complete)'
