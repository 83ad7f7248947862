package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/about"
	"github.com/quintain-rl/quintain/internal/compat"
	"github.com/quintain-rl/quintain/internal/manpage"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newVersion(w *world) *cobra.Command {
	dir, asJSON := "", false
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary, and the kernels of its model on this processor",
		Long: `Version prints the version of this binary. With --check-data, it says which formats a data
folder has, whether this binary reads them, and what it would write anew. That changes
nothing, and ends with status 1 if something is not read.`,
		Example: `  quintain version
  quintain version --check-data quintain-data`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("check-data") {
				_, err := fmt.Fprintln(w.stdout, itself())
				return err
			}
			reads, err := compat.Show(c.Context(), dir, asJSON, w.stdout)
			if err == nil && !reads {
				return errReported
			}
			return err
		},
	}
	c.Flags().StringVar(&dir, "check-data", "", "data folder to check; no process may use it")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with --check-data")
	return c
}

// itself describes this binary in a line.
func itself() string {
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

// version is that of the release, or of what this was built from.
func version() string { return about.Version(release) }
