package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
)

// Builds says what to build, and how.
type Builds struct {
	Environments []string     // folders with a Dockerfile
	Jobs         int          // builds at the same time; 0: one
	Builder      string       // buildah, podman or docker, or the path of one; empty: the first of these on PATH
	Network      string       // the builder's --network; empty: its default
	KeepGoing    bool         // go on after a build that failed
	Say          func(string) // gets lines about the progress; nil: nobody does
}

// builders are the programs that build, in the order in which they are looked for.
func builders() []string { return []string{"buildah", "podman", "docker"} }

// lastLines is how much a failure tells of the builder's output.
const lastLines = 20

// A build is the first part of a Dockerfile, which may be that of many tasks.
type build struct {
	recipe  recipe
	context string // folder of the first task
	key     string // by which the store finds what comes of it
	tasks   int
}

// Build has a builder make what the Dockerfiles of environments need and the store lacks: of each the part up to its last RUN, and each
// such part once. A Dockerfile without RUN needs the image in its FROM, which the builder is asked for if the store lacks it. The error
// names the builds that failed, with the last lines of the builder.
func (s *Store) Build(ctx context.Context, o Builds) error {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	list, ready, err := s.needed(o.Environments)
	if err != nil {
		return err
	}
	o.Say(fmt.Sprintf("%s to build for %s; those of %d are there", stats.Count(len(list), "image"), stats.Count(len(o.Environments)-ready, "task"), ready))
	if len(list) == 0 {
		return nil
	}
	b := &building{store: s, o: o, total: len(list), began: time.Now()}
	if b.program, err = findBuilder(o.Builder); err != nil {
		return err
	}
	done, err := s.begin()
	if err != nil {
		return err
	}
	defer done()
	if b.part, err = s.newPart(); err != nil {
		return err
	}
	err = b.all(ctx, list)
	return errors.Join(err, b.part.remove())
}

// findBuilder returns the path of a builder.
func findBuilder(name string) (string, error) {
	names := builders()
	if name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("there is no %s on PATH: install one, or build elsewhere and take the images here by quintain images export and add", strings.Join(names, ", "))
}

// needed returns the builds that environments need, and how many need none.
func (s *Store) needed(environments []string) (list []*build, ready int, err error) {
	known := map[string]*build{}
	for _, folder := range environments {
		c, err := openContext(folder)
		if err != nil {
			return nil, 0, err
		}
		b, err := s.need(c, folder)
		if err = errors.Join(err, c.root.Close()); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", folder, err)
		}
		switch {
		case b == nil:
			ready++
		case known[b.key] != nil:
			known[b.key].tasks++
		default:
			known[b.key] = b
			list = append(list, b)
		}
	}
	return list, ready, nil
}

// need returns the build that a context needs; nil: none.
func (s *Store) need(c buildContext, folder string) (*build, error) {
	r, err := c.recipe()
	if err != nil {
		return nil, err
	}
	_, err = s.baseOf(c, r)
	if !errors.Is(err, ErrNotBuilt) && !errors.Is(err, ErrNoImage) {
		return nil, err
	}
	b := &build{recipe: r, context: folder, key: r.base, tasks: 1}
	if r.base == "" {
		b.key, err = c.key(r)
	} else {
		err = nil
	}
	return b, err
}

// A building is a call of Build.
type building struct {
	store   *Store
	o       Builds
	program string
	part    *part // with the layout into which all is pushed
	total   int
	began   time.Time

	mu     sync.Mutex // guards the fields below
	done   int
	faults []error
	adding sync.Mutex // one image at a time is pushed: the index of a layout is one file
}

// all builds, several at a time.
func (b *building) all(ctx context.Context, list []*build) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan *build, len(list))
	for _, one := range list {
		next <- one
	}
	close(next)
	var workers sync.WaitGroup
	for range max(1, b.o.Jobs) {
		workers.Go(func() {
			for one := range next {
				if ctx.Err() != nil {
					return
				}
				if b.one(ctx, one) != nil && !b.o.KeepGoing {
					cancel()
				}
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil && len(b.faults) == 0 {
		return err
	}
	if n := len(b.faults); n > 0 {
		return fmt.Errorf("%d of %d builds failed:\n%w", n, b.total, errors.Join(b.faults...))
	}
	return nil
}

// one builds one, and tells about it.
func (b *building) one(ctx context.Context, one *build) error {
	began := time.Now()
	err := b.make(ctx, one)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return err // it was stopped
	}
	b.done++
	what := fmt.Sprintf("%d of %d: %s", b.done, b.total, one.context)
	if one.tasks > 1 {
		what += fmt.Sprintf(" and %d more", one.tasks-1)
	}
	noted := b.store.failed(one.key)
	if err != nil {
		err = errors.Join(err, datadir.WriteFile(noted, []byte(err.Error())))
		b.faults = append(b.faults, fmt.Errorf("%s: %w", one.context, err))
		b.o.Say(what + ": failed")
		return err
	}
	if err := os.Remove(noted); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	b.o.Say(fmt.Sprintf("%s: built in %s", what, stats.Span(time.Since(began))))
	return nil
}

// failed returns the file that tells how the last build for a key failed, if it did.
func (s *Store) failed(key string) string { return s.path("failed", hexOf(digestOf([]byte(key)))) }

// make builds one, and adds it to the store.
func (b *building) make(ctx context.Context, one *build) error {
	ref := hexOf(digestOf([]byte(one.key)))[:16]
	tag := "localhost/quintain:" + ref
	file, folder := filepath.Join(b.part.path, ref+".Dockerfile"), one.context
	if err := os.WriteFile(file, one.recipe.prefix, 0o644); err != nil {
		return err
	}
	if !one.recipe.copies {
		folder = filepath.Join(b.part.path, keptName) // an empty one
	}
	args := []string{"build", "-f", file, "-t", tag}
	if b.o.Network != "" {
		args = append(args, "--network", b.o.Network)
	}
	if err := b.run(ctx, append(args, folder)...); err != nil {
		return err
	}
	b.adding.Lock()
	defer b.adding.Unlock()
	if strings.Contains(filepath.Base(b.program), "docker") {
		return b.fromFile(ctx, one, tag)
	}
	layout := filepath.Join(b.part.path, rootName)
	if err := b.run(ctx, "push", tag, "oci:"+layout+":"+ref); err != nil {
		return err
	}
	root, err := os.OpenRoot(layout)
	if err != nil {
		return err
	}
	defer root.Close()
	return b.add(ctx, folderArchive{root}, one, ref)
}

// fromFile adds what docker has built, by an archive.
func (b *building) fromFile(ctx context.Context, one *build, tag string) error {
	name := filepath.Join(b.part.path, "saved")
	if err := b.run(ctx, "save", "-o", name, tag); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(name); err != nil {
		return err
	}
	a, err := indexTar(f)
	if err != nil {
		return err
	}
	return b.add(ctx, a, one, "")
}

// add adds the image of an archive that has a reference; empty: its only one.
func (b *building) add(ctx context.Context, a archive, one *build, ref string) error {
	var all []found
	var err error
	if ref == "" {
		all, err = images(a)
	} else {
		err = eachManifest(a, descriptor{}, 0, func(d descriptor) error {
			if d.Annotations["org.opencontainers.image.ref.name"] != ref {
				return nil
			}
			image, err := ociImage(a, d)
			all = []found{image} // the last one pushed
			return err
		})
	}
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s wrote %s, want 1", b.program, stats.Count(len(all), "image"))
	}
	if err != nil {
		return err
	}
	all[0].names = []string{one.key}
	_, err = b.store.addFound(ctx, intake{archive: a, from: filepath.Base(b.program)}, all[0])
	return err
}

// run runs the builder. The error ends with the last lines of its output.
func (b *building) run(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, b.program, args...)
	command.Apart(c)
	out := &command.Tail{Most: mostTail}
	c.Stdout, c.Stderr, c.WaitDelay = out, out, 2*time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(b.program), args[0], err, indented(out.String()))
	}
	return nil
}

// mostTail is how much of a builder's output is kept, in bytes.
const mostTail = 64 << 10

// indented returns the last lines of an output, indented.
func indented(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	all = all[max(0, len(all)-lastLines):]
	return "    " + strings.Join(all, "\n    ")
}
