package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
)

func newImages(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "images",
		Short: "Add, build, list and remove the images in which the trials of Harbor tasks start",
		Example: `  quintain images add machine --machine
  quintain images build tasks
  quintain images list`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newImagesAdd(w), newImagesBuild(w), newImagesList(w), newImagesRemove(w), newImagesGC(w), newImagesCheck(w), newImagesExport(w))
	return c
}

// openImages opens the store of images with the settings of a verb.
func openImages(w *world, load func() (*config, error)) (*image.Store, error) {
	cfg, err := load()
	if err != nil {
		return nil, err
	}
	s, err := image.Open(w.getenv(image.Variable))
	if err == nil {
		s.Limits = cfg.Images
	}
	return s, err
}

func newImagesAdd(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "add NAME [FILE]",
		Short: "Add an image from a file or a folder, or of the machine's own tools",
		Long: `Add unpacks an image into the store: an OCI layout (a folder, or a tar file), an archive of docker save or podman
save, or a root file system (a tar file, or a folder). Files may be compressed by gzip or zstd; - is standard input. FILE
alone adds all images of an archive, under the names in it, as export writes it. With --machine the machine's own /usr,
/bin, /lib and /sbin become the image, read-only and without a copy.`,
		Example: `  quintain images add machine --machine
  docker save python:3.12-slim | quintain images add python:3.12-slim -
  quintain images add images.tar`,
		Args: wants("a NAME and a FILE, a FILE alone, or a NAME with --machine", 1, 2),
	}
	machine := c.Flags().Bool("machine", false, "add the machine's own tools")
	load := w.settings(c, "images add")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *machine && len(args) == 2 {
			return usagef("--machine: wants a NAME alone")
		}
		s, err := openImages(w, load)
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			if *machine {
				img, err := s.AddMachine(ctx, args[0])
				return tellAdded(w, s, []image.Image{img}, err)
			}
			name, file := "", args[0]
			if len(args) == 2 {
				name, file = args[0], args[1]
			} else if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
				return usagef("images add: there is no file or folder %s; an image of the machine's own tools has --machine", file)
			}
			bar := screen.NewBar(w.screen(), "unpacking")
			defer bar.End()
			s.Progress = func(p image.Progress) { showUnpacking(bar, p) }
			all, err := s.Add(ctx, name, file, w.stdin)
			return tellAdded(w, s, all, err)
		})
	}
	return c
}

// showUnpacking shows how far an image is unpacked.
func showUnpacking(bar *screen.Bar, p image.Progress) {
	const mega = 1 << 20
	more := "MiB"
	if p.Layers > 0 {
		more = fmt.Sprintf("MiB of layer %d of %d", p.Layer, p.Layers)
	}
	if read := int(p.Read / mega); read > 0 && p.Size > 0 { // of a small one there is nothing to show
		bar.Show(read, int(p.Size/mega)+1, more)
	}
}

// tellAdded tells what was added, and how large the store is.
func tellAdded(w *world, s *image.Store, all []image.Image, err error) error {
	if err != nil {
		return err
	}
	for _, img := range all {
		fmt.Fprintf(w.stdout, "%s\t%s\t%s\n", screen.Safe(img.Name), img.Digest, image.Bytes(img.Bytes))
	}
	tellSize(w, s)
	return nil
}

// tellSize tells how large the store is, and what is left of its disk.
func tellSize(w *world, s *image.Store) {
	layers, free, disk, ok := s.Size()
	line := fmt.Sprintf("the images have %s in %s", image.Bytes(layers), s.Folder())
	if ok {
		line += fmt.Sprintf("; %s of %s are free there", image.Bytes(free), image.Bytes(disk))
	}
	fmt.Fprintln(w.stderr, line)
}

func newImagesList(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the images, with their sizes, and how large the store is",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := image.Open(w.getenv(image.Variable))
			if err != nil {
				return err
			}
			all, err := s.List()
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "NAME\tDIGEST\tSIZE\tADDED\tUSED\tFROM")
			built, made := 0, 0
			for _, e := range all {
				switch {
				case len(e.Names) > 0:
					used := "–"
					if !e.Used.IsZero() {
						used = e.Used.Format(time.DateOnly)
					}
					fmt.Fprintf(table, "%s\t%.19s\t%s\t%s\t%s\t%s\n", screen.Safe(strings.Join(e.Names, " ")), e.Digest, image.Bytes(e.Bytes), e.Added.Format(time.DateOnly), used, screen.Safe(e.From))
				case e.Base != "":
					made++
				default:
					built++
				}
			}
			if err := table.Flush(); err != nil {
				return err
			}
			if built+made > 0 {
				fmt.Fprintf(w.stdout, "and %s of what builders made for tasks, and %d that stand on these\n", stats.Count(built, "image"), made)
			}
			tellSize(w, s)
			return nil
		},
	}
}

func newImagesRemove(w *world) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME…",
		Short:   "Remove images, and the layers that no other has",
		Example: "  quintain images remove python:3.12-slim",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := image.Open(w.getenv(image.Variable))
			if err != nil {
				return err
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				r, err := s.Remove(ctx, args...)
				return tellRemoved(w, s, r, err)
			})
		},
	}
}

// tellRemoved tells what was removed.
func tellRemoved(w *world, s *image.Store, r image.Removed, err error) error {
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "removed %s and %s, %s\n", stats.Count(r.Images, "image"), stats.Count(r.Layers, "layer"), image.Bytes(r.Bytes))
	if r.InUse > 0 {
		fmt.Fprintf(w.stdout, "%s in use stay\n", stats.Count(r.InUse, "image"))
	}
	tellSize(w, s)
	return nil
}

func newImagesGC(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove what no name stands for, and what was not used for long",
		Long: `Gc removes images without a name, layers of no image, and what killed programs left. With --keep it removes images that
were not used for so long, too; with --most those that were not used for the longest, until the rest has that size. What
a trial uses stays.`,
		Example: "  quintain images gc --keep 30d --most 200GB",
		Args:    noArgs,
	}
	keep := c.Flags().String("keep", "", "remove images that were not used for `TIME`, such as 30d or 12h")
	most := c.Flags().String("most", "", "keep at most `SIZE`, such as 200GB")
	c.RunE = func(c *cobra.Command, _ []string) error {
		unused, err := parseDays(*keep)
		if err != nil {
			return usagef("--keep: %w", err)
		}
		size, err := parseSize(*most)
		if err != nil {
			return usagef("--most: %w", err)
		}
		s, err := image.Open(w.getenv(image.Variable))
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			r, err := s.Collect(ctx, unused, size)
			return tellRemoved(w, s, r, err)
		})
	}
	return c
}

// parseDays reads a time, which may be one of days; empty: 0.
func parseDays(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("is %q, want a time such as 30d or 12h", text)
}

// parseSize reads a size in bytes; empty: 0.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for i, unit := range []string{"KB", "MB", "GB", "TB"} {
		n, ok := strings.CutSuffix(strings.ToUpper(text), unit)
		if v, err := strconv.ParseFloat(strings.TrimSpace(n), 64); ok && err == nil && v > 0 && v < 1e6 {
			return int64(v * math.Pow10(3*(i+1))), nil
		}
	}
	return 0, fmt.Errorf("is %q, want a size such as 200GB", text)
}

func newImagesCheck(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "check [NAME…]",
		Short: "Read all layers again: is each file what was added?",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := image.Open(w.getenv(image.Variable))
			if err != nil {
				return err
			}
			good, bad := 0, 0
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				err := s.Check(ctx, func(e image.Entry, err error) {
					if err == nil {
						good++
						return
					}
					bad++
					fmt.Fprintf(w.stdout, "%s %s: %s\n", screen.Safe(strings.Join(e.Names, " ")), e.Digest, screen.Fault(err.Error()))
				}, args...)
				if err != nil {
					return err
				}
				fmt.Fprintf(w.stdout, "%s as added, %d not\n", stats.Count(good, "image"), bad)
				if bad > 0 {
					return errReported
				}
				return nil
			})
		},
	}
}

func newImagesExport(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE NAME…",
		Short: "Write images into one file, for machines without a builder",
		Long: `Export writes an OCI layout as a tar file, or with - to standard output. Another machine adds all of it by quintain
images add FILE, and has the same digests.`,
		Example: "  quintain images export images.tar python:3.12-slim gcc:latest\n  quintain images export - gcc:latest | zstd > gcc.tar.zst",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := image.Open(w.getenv(image.Variable))
			if err != nil {
				return err
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				write := func(out io.Writer) error { return s.Export(ctx, out, args[1:]...) }
				if args[0] == "-" {
					return datadir.WriteOut("", w.stdout, write)
				}
				return datadir.WriteTo(args[0], write)
			})
		},
	}
}

func newImagesBuild(w *world) *cobra.Command {
	o := image.Builds{}
	c := &cobra.Command{
		Use:   "build TASKS…",
		Short: "Have buildah, podman or docker build what the Dockerfiles of tasks need",
		Long: `Build looks for tasks in folders, and has a builder make what the store lacks: of each Dockerfile the part up to its last
RUN, and each such part once. The rest, which copies files and sets variables, Quintain does itself. Failures are told
with the last lines of the builder.`,
		Example: "  quintain images build tasks --jobs 2 --keep-going",
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().IntVar(&o.Jobs, "jobs", 1, "builds at the same time")
	c.Flags().StringVar(&o.Builder, "builder", "", "program that builds (default: the first of buildah, podman and docker that is there)")
	c.Flags().StringVar(&o.Network, "build-network", "", "network of the builds, as the builder's --network has it")
	c.Flags().BoolVar(&o.KeepGoing, "keep-going", false, "go on after a build that failed")
	load := w.settings(c, "images build")
	c.RunE = func(c *cobra.Command, args []string) error {
		if o.Jobs < 1 {
			return usagef("--jobs: is %d, want 1 or more", o.Jobs)
		}
		s, err := openImages(w, load)
		if err != nil {
			return err
		}
		for _, folder := range args {
			found, err := environmentsBelow(folder)
			if err != nil {
				return err
			}
			o.Environments = append(o.Environments, found...)
		}
		if len(o.Environments) == 0 {
			return fmt.Errorf("no task in %s has a file environment/Dockerfile", strings.Join(args, ", "))
		}
		o.Say = func(line string) { fmt.Fprintln(w.stderr, screen.Safe(line)) }
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			err := s.Build(ctx, o)
			tellSize(w, s)
			return err
		})
	}
	return c
}

// environmentsBelow returns the folders environment/, with a Dockerfile, of the tasks in a folder.
func environmentsBelow(folder string) (all []string, err error) {
	err = filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "task.toml" {
			return err
		}
		environment := filepath.Join(filepath.Dir(name), "environment")
		if _, err := os.Stat(filepath.Join(environment, "Dockerfile")); err == nil {
			all = append(all, environment)
		}
		return filepath.SkipDir
	})
	return all, err
}
