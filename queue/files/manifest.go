package files

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
)

// A manifest lists a store's files and how much of each was durable. It may lag behind:
// files made, rewritten or removed since are known by their own content.
type manifest struct {
	store uint64 // the store's random identity, from which the salts of its files follow
	last  uint64 // highest sequence number given
	files map[string]listed
}

// A listed is a file's entry in the manifest: enough to read its frames without its header.
type listed struct {
	salt   uint32
	next   uint64
	sealed int64
}

const (
	manifestName  = "manifest"
	manifestTitle = "quintain queue, manifest 2"
)

// errManifest reports a damaged manifest.
var errManifest = errors.New("is damaged")

// encode returns the manifest as text; see docs/formats/stream.md.
func (m manifest) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nstore %016x last %d files %d\n", manifestTitle, m.store, m.last, len(m.files))
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[name]
		fmt.Fprintf(&b, "%s salt %08x next %d sealed %d\n", name, f.salt, f.next, f.sealed)
	}
	fmt.Fprintf(&b, "sum %08x\n", crc32.Checksum(b.Bytes(), castagnoli()))
	return b.Bytes()
}

// decodeManifest undoes encode, and reads nothing else.
func decodeManifest(b []byte) (m manifest, err error) {
	title, _, _ := strings.Cut(string(b), "\n")
	body, sum, found := bytes.Cut(b, []byte("\nsum "))
	if want := fmt.Sprintf("%08x\n", crc32.Checksum(append(body[:len(body):len(body)], '\n'), castagnoli())); !found || string(sum) != want {
		return m, errManifest
	}
	if title != manifestTitle {
		return m, fmt.Errorf("begins with %q, want %q: use the program that wrote it", title, manifestTitle)
	}
	lines := strings.Split(string(body), "\n")[1:]
	if len(lines) == 0 {
		return m, errManifest
	}
	files := 0
	if _, err := fmt.Sscanf(lines[0], "store %x last %d files %d", &m.store, &m.last, &files); err != nil || files != len(lines)-1 {
		return m, errManifest
	}
	m.files = make(map[string]listed, files)
	for _, line := range lines[1:] {
		var f listed
		var name string
		if _, err := fmt.Sscanf(line, "%s salt %x next %d sealed %d", &name, &f.salt, &f.next, &f.sealed); err != nil {
			return m, errManifest
		}
		m.files[name] = f
	}
	return m, nil
}

// readManifest reads the manifest of a folder.
func readManifest(in folder) (m manifest, err error) {
	f, err := in.open(manifestName)
	if err != nil {
		return m, err
	}
	b, err := readAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return m, err
	}
	return decodeManifest(b)
}

// readAll reads a whole file.
func readAll(f file) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = f.ReadAt(b, 0)
	return b, err
}

// write replaces the manifest on disk, whole or not at all.
func (m manifest) write(in folder) error {
	const fresh = manifestName + freshEnd
	f, err := in.open(fresh)
	if err != nil {
		return spaceError(err)
	}
	if err := errors.Join(overwrite(f, m.encode()), f.Close()); err != nil {
		return errors.Join(spaceError(err), in.remove(fresh))
	}
	if err := in.rename(fresh, manifestName); err != nil {
		return errors.Join(spaceError(err), in.remove(fresh))
	}
	return in.sync()
}

// overwrite makes b the durable content of a file.
func overwrite(f file, b []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.WriteAt(b, 0); err != nil {
		return err
	}
	return f.Sync()
}
