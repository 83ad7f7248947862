package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newVersion(w *world) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this binary, and the kernels of its model on this processor",
		Example: "  quintain version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.stdout, about())
			return err
		},
	}
}

// about describes this binary in a line.
func about() string {
	return fmt.Sprintf("quintain %s %s %s/%s, %s kernels", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, transformer.Kernels())
}

// version is the version of the module, or the commit if the program was built from a
// repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel (the commit is unknown: it was built with -buildvcs=false, or without git)"
}
