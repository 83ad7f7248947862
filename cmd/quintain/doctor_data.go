package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/doctor"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newDoctorData(w *world) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "data FOLDER",
		Short: "Say whether this binary reads a data folder",
		Long: `Data says which formats a data folder has, whether this binary reads them, and what it
would write anew. It changes nothing, and ends with status 1 if something is not read. No
process may use the folder.`,
		Example: "  quintain doctor data quintain-data",
		Args:    oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			reads, err := doctor.ShowData(c.Context(), args[0], asJSON, w.stdout)
			if err == nil && !reads {
				return errReported
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// itself describes this binary in a line.
func itself() string {
	return fmt.Sprintf("quintain %s %s %s/%s, %s kernels", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, transformer.Kernels())
}

// release is the version of a release, such as v0.1.0, if the linker sets it.
var release = "none"

// version is that of the release, or of what this was built from.
func version() string {
	info, _ := debug.ReadBuildInfo() // nil: none
	return versionOf(release, info)
}
