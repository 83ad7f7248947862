package manpage_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/manpage"
)

func ExampleWrite() {
	folder, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(folder)
	hello := &cobra.Command{Use: "hello", Short: "Greet the world"}
	if err := manpage.Write(folder, "v1.0.0", hello); err != nil {
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
