package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run writes the image that the arguments describe.
func run(args []string) (err error) {
	f := flag.NewFlagSet("image", flag.ContinueOnError)
	out := f.String("out", "quintain-image.tar", "file to write")
	program := f.String("program", "bin/quintain", "static binary for Linux")
	name := f.String("name", "quintain:dev", "name and tag of the image")
	arch := f.String("arch", runtime.GOARCH, "processor of the binary, as Go names it")
	roots := f.String("certificates", "/etc/ssl/certs/ca-certificates.crt", "certificates of the authorities that the program trusts; empty: none")
	if err := f.Parse(args); err != nil {
		return err
	}
	body, err := os.ReadFile(*program)
	if err != nil {
		return err
	}
	var certificates []byte
	if *roots != "" {
		if certificates, err = os.ReadFile(*roots); err != nil {
			return fmt.Errorf("certificates: %w", err)
		}
	}
	to, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	w := bufio.NewWriter(to)
	digest, err := of(*name, *arch, body, certificates).write(w)
	if err != nil {
		return err
	}
	fmt.Printf("%s %s %s\n", *out, *name, digest)
	return w.Flush()
}
