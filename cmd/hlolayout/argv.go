package main

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"

	"github.com/urfave/cli/v3"
)

// arrange puts a command line into the one form that cli reads rightly: command, flags as --name=value, --, arguments.
// Left alone, cli takes flags after an argument for arguments, and a `-o --diff` for a file named --diff.
// The flags are looked up in the command's own table. What is wrong with them is said here.
func arrange(app *cli.Command, args []string) ([]string, error) {
	command, args, err := chooseCommand(app, args)
	if err != nil || command == nil {
		return args, err
	}
	flags := []string{command.Name}
	var files []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			files = append(files, args[i+1:]...)
			break
		}
		if !isFlag(arg) {
			files = append(files, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if slices.Contains(cli.HelpFlag.Names(), name) {
			return []string{command.Name, "--help"}, nil
		}
		switch flag := findFlag(command.Flags, name).(type) {
		case nil:
			return nil, usage(command.Name, "unknown flag %s: %s (if it is a file's name, write -- before it)",
				dashed(name), didYouMean(dashed(name), flagNames(command)))
		case *cli.BoolFlag:
			if hasValue && value != "true" && value != "false" {
				return nil, usage(command.Name, "flag %s is on or off: it takes no value %q", dashed(name), value)
			}
			if !hasValue {
				value = "true"
			}
		case *optionalFlag:
			if !hasValue {
				value = flag.bare
			}
		default:
			if hasValue {
				break
			}
			if i+1 == len(args) || isFlag(args[i+1]) {
				return nil, usage(command.Name, "flag %s needs a value: %s=VALUE", dashed(name), dashed(name))
			}
			i++
			value = args[i]
		}
		flags = append(flags, dashed(name)+"="+value)
	}
	return slices.Concat(flags, []string{"--"}, files), nil
}

// isFlag reports whether an argument is a flag, or --. No flag is a number: -1 is a value.
func isFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] < '0' || arg[1] > '9')
}

// chooseCommand returns the command that args name and what follows it. Without a command, where help or the version
// is asked for, it returns what to hand to cli.
func chooseCommand(app *cli.Command, args []string) (*cli.Command, []string, error) {
	if len(args) > 0 && args[0] == "help" {
		if len(args) == 1 || strings.HasPrefix(args[1], "-") {
			return nil, []string{"--help"}, nil
		}
		args = []string{args[1], "--help"}
	}
	if len(args) == 0 {
		return nil, nil, usage("", "no command: %s", strings.Join(commandNames(app), ", "))
	}
	switch first := args[0]; {
	case slices.Contains([]string{"--help", "-help", "-h"}, first):
		return nil, []string{"--help"}, nil
	case slices.Contains([]string{"--version", "-version", "-v"}, first):
		return nil, []string{"--version"}, nil
	case strings.HasPrefix(first, "-") && first != "-":
		return nil, nil, usage("", "%s comes before the command: write hlolayout COMMAND %s", first, first)
	default:
		if c := app.Command(first); c != nil {
			return c, args[1:], nil
		}
		if isInput(first) {
			return app.Command("summary"), args, nil
		}
		return nil, nil, usage("", "unknown command %s: %s", first, didYouMean(first, commandNames(app)))
	}
}

// isInput reports whether the argument in the place of a command, a code or a rule is an input: it is there, or looks
// like the name of a file, as none of the others do.
func isInput(arg string) bool {
	if arg == "-" || strings.ContainsAny(arg, `./\`) || exists(arg) {
		return true
	}
	matches, err := glob(arg)
	return err == nil && len(matches) > 0
}

func commandNames(app *cli.Command) []string {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return names
}

func flagNames(c *cli.Command) []string {
	var names []string
	for _, f := range c.Flags {
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	return append(names, "--help")
}

// findFlag returns the flag of that name, nil where there is none.
func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// didYouMean names the known name that is nearest to an unknown one, or the known ones where none is near.
func didYouMean(name string, known []string) string { return didYouMeanOf(name, known, 40) }

// didYouMeanOf is didYouMean that names at most some of the known ones.
func didYouMeanOf(name string, known []string, most int) string {
	if nearest := hlo.Nearest(name, known); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return "known are " + several(known, most)
}

// several lists names, at most some of them.
func several(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
