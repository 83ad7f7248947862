package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/manpage"
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

// newMan writes what a package carries beside the program; completions come from cobra.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages of all commands into a folder",
		Example: "  quintain man man1",
		Args:    oneArg("folder"),
		Hidden:  true,
		RunE:    func(c *cobra.Command, args []string) error { return manpage.Write(args[0], version(), c.Root()) },
	}
}

// release is the version of a release, such as v0.1.0, if the linker sets it.
var release = "none"

// version is the version of the release, else of the module, or the commit if the program was built from a
// repository.
func version() string {
	if release != "none" {
		return release
	}
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
