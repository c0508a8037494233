package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"hlolayout/printer/report"
)

// The files for CI and git that README offers are run here as they stand.

// fenced returns the blocks of README in a language.
func fenced(t *testing.T, language string) (out []string) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// shell runs a script with bash in a directory; further variables have the form NAME=value. It returns all output and
// the exit code.
func shell(t *testing.T, dir, script string, variables ...string) (string, int) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script) // as GitHub runs shell: bash
	c.Dir = dir
	c.Env = append(os.Environ(), append([]string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "CI="},
		variables...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(out), c.ProcessState.ExitCode()
}

// put copies files of testdata to a directory under other names.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, from := range files {
		text, err := os.ReadFile(filepath.Join("../../testdata", from))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
}

// git diff through the textconv driver and git difftool, with README's settings, in a new repository.
func TestGitSettings(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	settings := fenced(t, "sh")
	require.Len(t, settings, 1)
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.hlo": "attention.v5e.hlo"})
	out, code := shell(t, dir, "git init -q . && git config user.name n && git config user.email e@example.org\n"+
		settings[0]+"git add . && git commit -qm first")
	require.Zero(t, code, out)

	// Other metadata does not count as a difference; another layout is one.
	text, err := os.ReadFile(filepath.Join(dir, "a.hlo"))
	require.NoError(t, err)
	renumbered := regexp.MustCompile(`stack_frame_id=\d+`).ReplaceAllString(string(text), "stack_frame_id=77")
	require.NotEqual(t, string(text), renumbered)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.hlo"), []byte(renumbered), 0o666))
	out, code = shell(t, dir, "git diff")
	assert.Zero(t, code)
	assert.NotContains(t, out, "@@")
	moved := strings.Replace(renumbered, "%sub.7 = bf16[2,4,64,64]{2,3,1,0:T(8,128)(2,1)}",
		"%sub.7 = bf16[2,4,64,64]{2,3,1,0:T(8,128)(2,1)S(1)}", 1)
	require.NotEqual(t, renumbered, moved)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.hlo"), []byte(moved), 0o666))
	out, code = shell(t, dir, "git diff")
	assert.Zero(t, code, out)
	assert.Regexp(t, `(?m)^-\s*sub.* = bf16\[2,4,64,64\]\{2,3,1,0:T\(8,128\)\(2,1\)\} subtract`, out)
	assert.Regexp(t, `(?m)^\+\s*sub.* = bf16\[2,4,64,64\]\{2,3,1,0:T\(8,128\)\(2,1\)S\(1\)\} subtract`, out)
	assert.NotContains(t, out, "metadata")
	assert.NotContains(t, out, "%")

	out, code = shell(t, dir, "git difftool --no-prompt -t hlolayout")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "1 layout changed, in memory space only")

	// A text that cannot be read is shown as it is, and why.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.hlo"), []byte("HloModule broken\n<<<<<<< HEAD\n"), 0o666))
	out, code = shell(t, dir, "git diff")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "+<<<<<<< HEAD\n")
	assert.Contains(t, out, "a.hlo:2:1:")
}

// step is one step of a workflow or of a composite action.
type step struct {
	Uses, Shell, Run string
	With, Env        map[string]string
}

// The workflow of README: its steps that run something do, with the action's steps in the place of the action.
func TestWorkflow(t *testing.T) {
	blocks := fenced(t, "yaml")
	require.Len(t, blocks, 2)
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	require.NoError(t, yaml.Unmarshal([]byte(blocks[0]), &workflow))
	action := actionOf(t)
	dir, temp := t.TempDir(), t.TempDir()
	put(t, dir, map[string]string{"dumps/bad.hlo": "merge_heads.hlo", "dumps/attention.hlo": "attention.hlo"})
	variables := []string{"RUNNER_TEMP=" + temp, "GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary")}
	ran := 0
	for _, s := range workflow.Jobs["layouts"].Steps {
		assert.Regexp(t, "^$|@([0-9a-f]{40}|COMMIT)$", s.Uses, "an action is pinned by its commit")
		switch {
		case strings.Contains(s.Uses, "/.github/actions/hlolayout@"):
			out, code := shell(t, dir, action.Runs.Steps[1].Run, append(variables, action.variables(t, s.With)...)...)
			assert.Zero(t, code, out)
			assert.FileExists(t, filepath.Join(dir, s.With["sarif"]))
			ran++
		case s.Run != "":
			out, code := shell(t, dir, s.Run, variables...)
			assert.Equal(t, exitDiffers, code, out) // no goldens yet
			assert.Contains(t, out, "::error file=dumps/attention.hlo,title=CHK001 no-golden::")
			assert.FileExists(t, filepath.Join(dir, "check.xml"))
			ran++
		}
	}
	assert.Equal(t, 2, ran)
}

// action is the composite action.
type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Runs struct{ Steps []step }
}

func actionOf(t *testing.T) (a action) {
	t.Helper()
	text, err := os.ReadFile("../../.github/actions/hlolayout/action.yml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &a))
	require.Len(t, a.Runs.Steps, 2)
	for _, s := range a.Runs.Steps {
		assert.Equal(t, "bash", s.Shell)
		assert.NotContains(t, s.Run, "${{", "an input inside of a script could be code")
	}
	return a
}

// variables returns the environment of the action's last step for some inputs.
func (a action) variables(t *testing.T, with map[string]string) (out []string) {
	t.Helper()
	for name := range with {
		require.Contains(t, a.Inputs, name)
	}
	for name, value := range a.Runs.Steps[1].Env {
		input := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) \}\}$`).FindStringSubmatch(value)
		require.NotNil(t, input, value)
		text, given := with[input[1]]
		if !given {
			text = a.Inputs[input[1]].Default
		}
		out = append(out, name+"="+text)
	}
	return out
}

// The action installs the wheel: its step gives pip the version, and the steps after it find the command.
func TestActionInstalls(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >args\n"),
		0o777))
	path := filepath.Join(dir, "path")
	out, code := shell(t, dir, actionOf(t).Runs.Steps[0].Run,
		"PATH="+dir+":"+os.Getenv("PATH"), "RUNNER_TEMP="+dir, "VERSION=1.2.3", "GITHUB_PATH="+path)
	require.Zero(t, code, out)
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	require.NoError(t, err)
	assert.Equal(t, "-m\npip\ninstall\n--quiet\n--only-binary=:all:\n--target="+dir+"/hlolayout\nhlolayout==1.2.3\n",
		string(args))
	found, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, dir+"/hlolayout/bin\n", string(found))
}

// Whatever installs the wheel names this version.
func TestInstalledVersion(t *testing.T) {
	assert.Equal(t, report.Version, actionOf(t).Inputs["version"].Default)
	text, err := os.ReadFile("../../pyproject.toml")
	require.NoError(t, err)
	assert.Contains(t, string(text), "version = \""+report.Version+"\"\ndependencies = "+
		"[\"hlolayout=="+report.Version+"\"]")
	assert.Contains(t, fenced(t, "yaml")[1], "rev: v"+report.Version+"\n")
}

// The action: text and annotations in the log, a summary, files; hostile arguments and names are data.
func TestAction(t *testing.T) {
	a := actionOf(t)
	dir, temp := t.TempDir(), t.TempDir()
	put(t, dir, map[string]string{"old.hlo": "attention.hlo", "new.hlo": "attention.v5e.hlo",
		"$(touch pwned).hlo": "attention.v5e.hlo"})
	summary := filepath.Join(temp, "summary")
	run := func(with map[string]string) (string, int) {
		return shell(t, dir, a.Runs.Steps[1].Run, append(a.variables(t, with), "RUNNER_TEMP="+temp,
			"GITHUB_STEP_SUMMARY="+summary)...)
	}
	out, code := run(map[string]string{"command": "diff", "args": "old.hlo\n\nnew.hlo\n", "markdown": "comment.md",
		"junit": "t.xml"})
	assert.Equal(t, exitDiffers, code, out)
	before, after, ok := strings.Cut(out, "\n::warning file=new.hlo,line=45,col=3,title=DIF002 layout::")
	require.True(t, ok, out)
	assert.Regexp(t, `(?s)^::stop-commands::(hlolayout\d+)\nold.hlo: pre-layout module: [^\n]*\nlayouts `+
		`changed: [^\n]*\n--- old.hlo\n.*totals\n.*::hlolayout\d+::$`, before)
	assert.Contains(t, after, "title=DIF004 instruction-added::copy bf16")
	for _, path := range []string{summary, filepath.Join(dir, "comment.md"), filepath.Join(dir, "t.xml")} {
		assert.FileExists(t, path)
	}

	_, code = run(map[string]string{"command": "diff", "args": "old.hlo\nnew.hlo", "fail": "false"})
	assert.Zero(t, code)
	out, code = run(map[string]string{"args": "$(touch pwned).hlo"})
	assert.Zero(t, code, out)
	assert.NoFileExists(t, filepath.Join(dir, "pwned"))
	out, code = run(map[string]string{"args": "missing.hlo"})
	assert.Equal(t, exitTrouble, code, out)
	assert.Contains(t, out, "::error file=missing.hlo,title=trouble::")
}

// The hooks of pre-commit: each entry runs on files as pre-commit hands them over, and says by its exit code what it is
// for.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	require.NoError(t, err)
	var hooks []struct {
		ID, Name, Description, Language, Entry, Files string
		Args                                          []string
	}
	require.NoError(t, yaml.Unmarshal(text, &hooks))
	dir := t.TempDir()
	put(t, dir, map[string]string{"fine.hlo": "attention.v5e.hlo"})
	const bad = `HloModule bad, is_scheduled=true

ENTRY %e (x: s32[8388608,1]) -> s32[8388608,1] {
  %x = s32[8388608,1]{1,0:T(8,128)}   parameter(0)
  ROOT %c = s32[8388608,2]{1,0:T(8,128)} negate(%x)
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.hlo"), []byte(bad), 0o666))
	_, code := shell(t, dir, "hlolayout check --update --lock-only fine.hlo")
	require.Zero(t, code)
	require.Len(t, hooks, 4)
	for _, h := range hooks {
		assert.NotEmpty(t, h.Name+h.Description)
		assert.Equal(t, "python", h.Language)
		assert.Equal(t, []string{"--"}, h.Args)
		assert.Regexp(t, h.Files, "dir/fine.hlo")
		assert.Regexp(t, "^hlolayout ", h.Entry)
		command := h.Entry + " " + strings.Join(h.Args, " ")
		out, code := shell(t, dir, command+" fine.hlo")
		assert.Zero(t, code, "%s: %s", h.ID, out)
		out, _ = shell(t, dir, command+" --no-flag.hlo")
		assert.NotContains(t, out, "unknown flag", h.ID)
		out, code = shell(t, dir, command+" fine.hlo bad.hlo")
		assert.NotZero(t, code, "%s: %s", h.ID, out)
		assert.Contains(t, out, "bad.hlo", h.ID)
	}
	// README names hooks that exist.
	for _, m := range regexp.MustCompile(`- id: (\S+)`).FindAllStringSubmatch(fenced(t, "yaml")[1], -1) {
		assert.Contains(t, string(text), "- id: "+m[1]+"\n")
	}
}
