package flags

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func ExampleWriteManual() {
	folder, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(folder)
	hello := &cobra.Command{Use: "hello", Short: "Greet the world"}
	if err := WriteManual(folder, "v1.0.0", hello); err != nil {
		fmt.Println(err)
		return
	}
	page, _ := os.ReadFile(filepath.Join(folder, "hello.1"))
	fmt.Print(string(page))
	// Output:
	// .TH "HELLO" 1 "" "hello v1.0.0" "hello"
	// .SH NAME
	// hello \- Greet the world
	// .SH SYNOPSIS
	// .B hello
	// .SH DESCRIPTION
	// Greet the world.
}
