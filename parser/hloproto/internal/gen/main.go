// Command gen writes the Go code of a .proto file: protoc and protoc-gen-go in one, from Go modules only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	in := flag.String("proto", "hlo.proto", "the schema, in the working directory")
	name := flag.String("name", "", "the name under which the Go code registers the schema")
	out := flag.String("out", "", "the Go file to write")
	flag.Parse()
	code, err := generate(*in, *name)
	if err == nil {
		err = os.WriteFile(*out, code, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// initially is what registers the messages when a program begins; package hlopb does so when they are first used.
var initially = regexp.MustCompile(`(?m)^func init\(\) \{ file_\w+_init\(\) \}\n`)

// generate returns the Go code for the schema in the file, registered as name.
func generate(file, name string) ([]byte, error) {
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser, error) {
			if path != name {
				return nil, os.ErrNotExist
			}
			return os.Open(file)
		}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, err
	}
	// Without a version in the comments: they would change with every release of Go and of protobuf.
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(files[0])},
	})
	if err != nil {
		return nil, err
	}
	plugin.SupportedFeatures = internal_gengo.SupportedFeatures
	plugin.SupportedEditionsMinimum, plugin.SupportedEditionsMaximum = internal_gengo.SupportedEditionsMinimum,
		internal_gengo.SupportedEditionsMaximum
	internal_gengo.GenerateFile(plugin, plugin.Files[0])
	response := plugin.Response()
	if response.Error != nil {
		return nil, errors.New(*response.Error)
	}
	if len(response.File) != 1 {
		return nil, fmt.Errorf("%d files generated from %s, not one", len(response.File), file)
	}
	return initially.ReplaceAll([]byte(response.File[0].GetContent()), nil), nil
}
