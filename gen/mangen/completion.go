package main

import (
	"fmt"
	"strings"
)

// completions adds the completion of all commands for bash, zsh and fish.
func completions(files map[string]string) {
	for _, c := range commands() {
		for i, name := range append([]string{c.name}, c.names...) {
			if i == 0 {
				files["bash-completion/completions/"+name] = c.bash()
				files["zsh/site-functions/_"+name] = c.zsh()
			} else {
				files["bash-completion/completions/"+name] = linkTo + c.name
			}
			files["fish/vendor_completions.d/"+name+".fish"] = c.fish(name)
		}
	}
}

// The beginning of the function for bash. The words of a line end at = and :, too.
const bashHead = `# Completion of %[1]s for bash. Written by gen/mangen.
%[2]s()
{
    local options=%[3]q
    local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) before= i prefix=
    COMPREPLY=()
    if [[ $word == [:=] ]]; then
        prefix=$word word=
    elif [[ ${COMP_WORDS[at]} == [:=] ]]; then
        prefix=${COMP_WORDS[at]}
        ((at--))
    fi
    before=${COMP_WORDS[at]}
    if [[ $prefix == : ]]; then # a part of an option
        COMPREPLY=($(compgen -W "$options" -- "$before:$word"))
        COMPREPLY=("${COMPREPLY[@]#"$before:"}")
        return
    fi
`

// bash returns the completion for bash.
func (c command) bash() string {
	var b strings.Builder
	var words, values []string
	for _, o := range c.options {
		for _, s := range o.spellings {
			if o.equals {
				words = append(words, s+"=")
				continue
			}
			words = append(words, s)
			if o.value != "" {
				values = append(values, s)
			}
		}
	}
	names := append([]string{c.name}, c.names...)
	function := "_goacp_" + c.name
	fmt.Fprintf(&b, bashHead, strings.Join(names, ", "), function, strings.Join(words, " "))
	if c.program {
		fmt.Fprintf(&b, `    for ((i = 1; i < at + (at == COMP_CWORD - 1); i++)); do
        case ${COMP_WORDS[i]} in
            %s)
                ((++i))
                [[ ${COMP_WORDS[i]-} != = ]] || ((++i))
                ;;
            -*) ;;
            *) # the program; its arguments follow
                COMPREPLY=($(compgen -f -- "$word"))
                return
                ;;
        esac
    done
`, strings.Join(values, "|"))
	}
	b.WriteString("    case $before in\n")
	for _, o := range c.options {
		if o.value == "" || o.equals {
			continue
		}
		action := "return"
		switch {
		case o.list:
			action = fmt.Sprintf(`prefix=
            [[ $word != *,* ]] || prefix=${word%%,*},
            COMPREPLY=($(compgen -P "$prefix" -W %q -- "${word##*,}"))
            return`, strings.Join(o.choices, " "))
		case o.choices != nil:
			action = fmt.Sprintf("COMPREPLY=($(compgen -W %q -- \"$word\"))\n            return", strings.Join(o.choices, " "))
		case o.file:
			action = "COMPREPLY=($(compgen -f -- \"$word\"))\n            return"
		}
		fmt.Fprintf(&b, "        %s)\n            %s\n            ;;\n", strings.Join(o.spellings, "|"), action)
	}
	kinds := "-f"
	if c.program {
		kinds = "-c -f"
	}
	fmt.Fprintf(&b, `    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2> /dev/null
    else
        COMPREPLY=($(compgen %s -- "$word"))
    fi
}
complete -o filenames -F %s %s
`, kinds, function, strings.Join(names, " "))
	return b.String()
}

// zsh returns the completion for zsh.
func (c command) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# Written by gen/mangen.\n_arguments -S", strings.Join(append([]string{c.name}, c.names...), " "))
	for _, o := range c.options {
		for _, s := range o.spellings {
			help := strings.NewReplacer("[", "(", "]", ")", ":", `\:`, "'", `'\''`, `\`, `\\`).Replace(o.help)
			value := ""
			switch {
			case o.list:
				value = ":" + o.value + ":_values -s , " + o.value + " " + strings.Join(o.choices, " ")
			case o.choices != nil:
				value = ":" + o.value + ":(" + strings.Join(o.choices, " ") + ")"
			case o.file:
				value = ":" + o.value + ":_files"
			case o.value != "":
				value = ":" + o.value + ": "
			}
			name := strings.ReplaceAll(s, ":", `\:`)
			if o.value != "" && (o.equals || strings.HasPrefix(s, "--")) {
				name += "="
			}
			fmt.Fprintf(&b, " \\\n  '%s[%s]%s'", name, help, value)
		}
	}
	if c.program {
		b.WriteString(" \\\n  '(-):program:_command_names -e' \\\n  '*::arguments:_normal'\n")
	} else {
		b.WriteString(" \\\n  '*:file:_files'\n")
	}
	return b.String()
}

// fish returns the completion for fish.
func (c command) fish(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for fish. Written by gen/mangen.\n", name)
	for _, o := range c.options {
		for _, s := range o.spellings {
			quoted := func(text string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'" }
			if o.equals {
				s += "="
			}
			// fish has no options with one dash that end at a colon or an equals sign, so these are plain words.
			if strings.ContainsAny(s, ":=") {
				fmt.Fprintf(&b, "complete -c %s -a %s -n 'string match -q -- \"-*\" (commandline -ct)' -d %s\n", name, quoted(s), quoted(o.help))
				continue
			}
			flag := "-o " + strings.TrimPrefix(s, "-")
			if long, ok := strings.CutPrefix(s, "--"); ok {
				flag = "-l " + long
			} else if len(s) == 2 {
				flag = "-s " + s[1:]
			}
			value := ""
			switch {
			case o.choices != nil:
				value = " -x -a " + quoted(strings.Join(o.choices, " "))
			case o.file:
				value = " -r -F"
			case o.value != "":
				value = " -x"
			}
			fmt.Fprintf(&b, "complete -c %s %s%s -d %s\n", name, flag, value, quoted(o.help))
		}
	}
	return b.String()
}
