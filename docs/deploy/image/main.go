package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run writes the images that the arguments describe.
func run(args []string) (err error) {
	f := flag.NewFlagSet("image", flag.ContinueOnError)
	out := f.String("out", "quintain-image.tar", "file to write")
	name := f.String("name", "quintain:dev", "name and tag of the image")
	roots := f.String("certificates", "/etc/ssl/certs/ca-certificates.crt", "certificates of the authorities that the program trusts; empty: none")
	var programs, licences []string
	list := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	f.Func("program", "static binary for Linux, as ARCH=`FILE` with its processor as Go names it; several make an image for each", list(&programs))
	f.Func("licence", "`FILE` to lie at the root of the image; may be given several times", list(&licences))
	if err := f.Parse(args); err != nil {
		return err
	}
	with, err := read(*roots, licences)
	if err != nil {
		return err
	}
	images, err := load(programs, with)
	if err != nil {
		return err
	}
	to, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	w := bufio.NewWriter(to)
	digest, err := write(w, *name, images...)
	if err != nil {
		return err
	}
	fmt.Printf("%s %s %s\n", *out, *name, digest)
	return w.Flush()
}

// read reads what all images hold.
func read(roots string, licences []string) (with contents, err error) {
	if roots != "" {
		if with.certificates, err = os.ReadFile(roots); err != nil {
			return contents{}, fmt.Errorf("certificates: %w", err)
		}
	}
	for _, path := range licences {
		body, err := os.ReadFile(path)
		if err != nil {
			return contents{}, fmt.Errorf("licence: %w", err)
		}
		with.licences = append(with.licences, file{filepath.Base(path), 0o644, body})
	}
	return with, nil
}

// load makes an image of each program.
func load(programs []string, with contents) (images []image, err error) {
	for _, program := range programs {
		arch, path, found := strings.Cut(program, "=")
		if !found {
			return nil, fmt.Errorf("program: is %q, want ARCH=FILE", program)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("program: %w", err)
		}
		images = append(images, of(arch, body, with))
	}
	if len(images) == 0 {
		return nil, errors.New("program: is missing, want ARCH=FILE")
	}
	return images, nil
}
