package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"hlolayout/parser"
	"hlolayout/tpu"
)

func init() {
	register.DoFn3x1[context.Context, fileio.ReadableFile, func(int, string), error](&work{})
	register.Emitter2[int, string]()
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&write{})
	register.Iter1[string]()
}

// options are what the command line says.
type options struct {
	Input, Output, Work, Target string
	Shards                      int
}

func (o options) check() error {
	switch {
	case o.Input == "" || o.Output == "":
		return errors.New("--input PATTERN and --output PREFIX are needed")
	case o.Shards < 1:
		return fmt.Errorf("--shards %d: at least 1", o.Shards)
	case works[o.Work] == nil:
		return fmt.Errorf("--work %q: it is lint or assign", o.Work)
	}
	_, err := tpu.ByName(o.Target)
	return err
}

// build adds the pipeline: match the files, work on each by itself, gather the lines of a shard, write them sorted, so
// that the same dumps make the same files whatever worker was first. Without the reshuffle a runner fuses the match
// with the work, and the one worker that lists the files works on all of them.
func build(s beam.Scope, o options) {
	matches := beam.Reshuffle(s, fileio.MatchFiles(s, o.Input, fileio.MatchEmptyDisallow()))
	files := fileio.ReadMatches(s, matches, fileio.ReadDirectorySkip())
	lines := beam.ParDo(s, &work{o}, files)
	beam.ParDo0(s, &write{o}, beam.GroupByKey(s, lines))
}

// work turns a dump into lines of JSON, keyed by the shard that its path falls into.
type work struct{ Options options }

// ProcessElement reads one dump. A dump that cannot be read or parsed is a line too: it does not stop the rest.
func (w *work) ProcessElement(ctx context.Context, f fileio.ReadableFile, emit func(int, string)) error {
	t, err := tpu.ByName(w.Options.Target)
	if err != nil {
		return err
	}
	h := fnv.New32a()
	h.Write([]byte(f.Metadata.Path))
	shard := int(h.Sum32() % uint32(w.Options.Shards))
	text, err := read(ctx, f)
	if err != nil {
		emit(shard, failure(f.Metadata.Path, err))
		return nil
	}
	for _, line := range lines(f.Metadata.Path, text, t, works[w.Options.Work]) {
		emit(shard, line)
	}
	return nil
}

// read returns a file's content, unpacked where its name ends in .gz, if it is not longer than the parser takes.
func read(ctx context.Context, f fileio.ReadableFile) ([]byte, error) {
	r, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, parser.MaxBytes+1))
	if err == nil && len(text) > parser.MaxBytes {
		err = fmt.Errorf("the text is longer than the limit of %d bytes", parser.MaxBytes)
	}
	return text, err
}

// write writes the lines of one shard.
type write struct{ Options options }

// ProcessElement sorts the lines and writes the shard's file.
func (w *write) ProcessElement(ctx context.Context, shard int, next func(*string) bool) error {
	var all []string
	for line := ""; next(&line); {
		all = append(all, line)
	}
	slices.Sort(all)
	name := fmt.Sprintf("%s-%05d-of-%05d.jsonl", w.Options.Output, shard, w.Options.Shards)
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer system.Close()
	return replace(ctx, system, name, all)
}

// replace writes the lines to a file of another name and renames it, so that the file is whole or not there. The other
// name is a new one each time: a runner may start the same work again while a worker that it has lost still writes.
func replace(ctx context.Context, system filesystem.Interface, name string, lines []string) error {
	part := name + "." + rand.Text() + ".part"
	err := writeLines(ctx, system, part, lines)
	if err == nil {
		err = filesystem.Rename(ctx, system, part, name)
	}
	if remover, ok := system.(filesystem.Remover); ok && err != nil {
		remover.Remove(ctx, part) // the first error is the one to tell
	}
	return err
}

func writeLines(ctx context.Context, system filesystem.Interface, name string, lines []string) error {
	f, err := system.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	for _, line := range lines {
		b.WriteString(line) // an error stays with b until Flush
		b.WriteByte('\n')
	}
	return errors.Join(b.Flush(), f.Close())
}
