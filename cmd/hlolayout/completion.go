package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/passes/layout"
	"hlolayout/passes/lint"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// completions are the scripts of the shells. Each asks `hlolayout __complete WORDS`, the last word being the one to
// complete, which answers a candidate a line, after a tab what it is, and ":files" where a file's name is possible,
// too.
//
//go:embed completion
var completions embed.FS

const completeWord = "__complete"

func completionCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "print the completion script of a shell",
		UsageText: "hlolayout completion SHELL",
		Description: `Prints a script that lets a shell complete commands, flags, their values, and files: bash, zsh, fish or
powershell.

Examples:
   hlolayout completion bash >hlolayout.bash      and in .bashrc: source hlolayout.bash
   hlolayout completion zsh >_hlolayout           in a directory of $fpath
   hlolayout completion fish >hlolayout.fish      in ~/.config/fish/completions
   hlolayout completion powershell >hlolayout.ps1`,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return usage("completion", "completion takes a shell: %s", strings.Join(shells(), ", "))
			}
			text, err := completions.ReadFile("completion/" + c.Args().First())
			if err != nil {
				return usage("completion", "unknown shell %q: %s", c.Args().First(),
					didYouMean(c.Args().First(), shells()))
			}
			return s.print(text)
		},
	}
}

func shells() []string {
	var names []string
	files, _ := fs.ReadDir(completions, "completion") // it is embedded
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// print writes to standard output.
func (s streams) print(text []byte) error {
	s.bar().clear()
	if _, err := s.out.Write(text); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

// The words that flags take besides those of oneOfFlag, and that arguments take besides files. A command without files
// has a row, if it takes no words, an empty one.
var (
	flagWords = map[string]func() []string{
		"tpu": tpu.Names, "passes": passNames, "print-after": passNames,
		"ignore": func() []string { return diff.IgnoreWords },
		"set":    func() []string { return ruleWords("=") },
	}
	argumentWords = map[string]func() []string{
		"targets": nil, "cute": nil, "decode": nil, "index": nil, "relayout": nil,
		"table": dtypeNames, "schema": report.SchemaNames, "completion": shells, "man": nil,
		"explain": func() []string {
			words := ruleWords("")
			for _, c := range codes() {
				words = append(words, c.Name)
			}
			for _, r := range layout.Rules() {
				words = append(words, r.Name)
			}
			return words
		},
	}
	// wordsAndFiles are commands whose arguments are either.
	wordsAndFiles = []string{"explain"}
)

func passNames() []string { return append(passes.Names(), passes.Auto) }

func ruleWords(suffix string) []string {
	var names []string
	for _, r := range lint.Rules() {
		names = append(names, r.ID+suffix)
	}
	return names
}

func dtypeNames() []string {
	var names []string
	for d := hlo.Pred; d.Bits() > 0; d++ {
		names = append(names, d.String())
	}
	return names
}

// candidate is a word that fits at the cursor, with a description.
type candidate struct{ word, about string }

// complete returns the words that fit in place of the last one. A = in front of it is not part of it: PowerShell cannot
// hand over an empty one.
func complete(app *cli.Command, words []string) (out []byte) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], strings.TrimPrefix(words[len(words)-1], "=")
	list, files := candidates(app, before, current)
	for _, c := range list {
		if strings.HasPrefix(c.word, current) {
			out = append(out, c.word...)
			if c.about != "" {
				out = append(append(out, '\t'), c.about...)
			}
			out = append(out, '\n')
		}
	}
	if files {
		out = append(out, ":files\n"...)
	}
	return out
}

func candidates(app *cli.Command, before []string, current string) (list []candidate, files bool) {
	if len(before) == 0 || len(before) == 1 && before[0] == "help" {
		for _, c := range app.Commands {
			list = append(list, candidate{c.Name, c.Usage})
		}
		if len(before) == 0 {
			list = append(list, candidate{"help", "show help for a command"}, candidate{"--help", "show help"},
				candidate{"--version", "print the version"})
		}
		return list, len(before) == 0 && current != "" // hlolayout FILE is summary's
	}
	command := app.Command(before[0])
	if command == nil && isInput(before[0]) {
		command, before = app.Command("summary"), append([]string{"summary"}, before...)
	} else if command == nil {
		return nil, false
	}
	arguments := 0
	var pending cli.Flag // that has no value yet
	for i, w := range before[1:] {
		switch {
		case pending != nil:
			pending = nil
		case w == "--":
			list, files = argumentsOf(command.Name, arguments+len(before[1:])-i-1)
			return list, files
		case len(w) > 1 && w[0] == '-' && !strings.Contains(w, "="):
			pending = takesWord(findFlag(command.Flags, strings.TrimLeft(w, "-")))
		case len(w) < 2 || w[0] != '-':
			arguments++
		}
	}
	if pending != nil {
		return valuesOf(pending, "", current)
	}
	if name, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "-") {
		if f := findFlag(command.Flags, strings.TrimLeft(name, "-")); f != nil {
			return valuesOf(f, name+"=", value)
		}
		return nil, false
	}
	if strings.HasPrefix(current, "-") {
		for _, f := range command.Flags {
			about := ""
			if d, ok := f.(cli.DocGenerationFlag); ok {
				about = strings.ReplaceAll(d.GetUsage(), "`", "")
			}
			for _, n := range f.Names() {
				list = append(list, candidate{dashed(n), about})
			}
		}
		return append(list, candidate{"--help", "show help"}), false
	}
	return argumentsOf(command.Name, arguments)
}

// takesWord returns a flag that takes the next word, nil for one that does not.
func takesWord(f cli.Flag) cli.Flag {
	switch f.(type) {
	case *cli.BoolFlag, *optionalFlag:
		return nil
	}
	return f
}

// argumentsOf returns what a command takes as its argument of that number, from 0 on.
func argumentsOf(command string, n int) (list []candidate, files bool) {
	words, ok := argumentWords[command]
	if !ok {
		return nil, true
	}
	if words != nil && n == 0 {
		for _, w := range words() {
			list = append(list, candidate{word: w})
		}
	}
	return list, slices.Contains(wordsAndFiles, command)
}

// valuesOf returns the values of a flag; prefix precedes them. Of a list with commas the last one is completed.
func valuesOf(f cli.Flag, prefix, value string) (list []candidate, files bool) {
	var words []string
	usage := f.(cli.DocGenerationFlag).GetUsage()
	switch flag := f.(type) {
	case *choiceFlag:
		words = flag.words
	case *optionalFlag:
		words = flag.words
	case *pairFlag:
		if strings.Contains(value, "=") {
			return nil, true
		}
		for _, k := range flag.keys {
			words = append(words, k+"=")
		}
	default:
		if w, ok := flagWords[f.Names()[0]]; ok {
			words = w()
		}
	}
	if strings.Contains(usage, "`GENERATIONS`") && !strings.Contains(value, ",") {
		words = append(slices.Clip(words), "all")
	}
	if i := strings.LastIndexByte(value, ','); i >= 0 && strings.Contains(usage, "separated by commas") {
		prefix += value[:i+1]
	}
	for _, w := range words {
		list = append(list, candidate{word: prefix + w})
	}
	for _, placeholder := range []string{"`FILE`", "`DIRECTORY`", "`LIST`"} {
		files = files || strings.Contains(usage, placeholder)
	}
	return list, files
}
