package image

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// builtPrefix begins the keys, in names.json, of what builders made of the first part of a Dockerfile.
const builtPrefix = "built:"

// recipe reads the Dockerfile of an environment.
func (c buildContext) recipe() (r recipe, err error) {
	text, err := c.root.ReadFile("Dockerfile")
	if err == nil {
		r, err = divide(text)
	}
	if err != nil {
		return r, fmt.Errorf("the Dockerfile: %w", err)
	}
	return r, nil
}

// key returns the key of what a builder makes of a Dockerfile's first part: a hash of that, and of the folder if it uses its files.
func (c buildContext) key(r recipe) (string, error) {
	if r.copies {
		hash, err := c.hash(string(r.prefix))
		return builtPrefix + hash, err
	}
	return builtPrefix + hexOf(digestOf(r.prefix)), nil
}

// For returns the image of a task's folder environment/, which has a Dockerfile. The first part of that, up to its last RUN, is what
// [Store.Build] has had a builder make; a Dockerfile without RUN stands on an image of the store. Of the instructions that follow, COPY
// and WORKDIR make one more layer, ENV, WORKDIR and USER change what processes find, and the others are nothing to trials. The same
// content makes the same digest, on every machine. The error is [ErrNotBuilt] if a builder is needed, and [ErrNoImage] if the image in
// FROM is missing; both say what to run.
func (s *Store) For(ctx context.Context, environment string) (img Image, err error) {
	c, err := openContext(environment)
	if err != nil {
		return img, err
	}
	defer c.root.Close()
	if img, err = s.madeOf(ctx, c); err != nil {
		return img, fmt.Errorf("%s: %w", environment, err)
	}
	return img, nil
}

// madeOf returns the image of a context.
func (s *Store) madeOf(ctx context.Context, c buildContext) (Image, error) {
	r, err := c.recipe()
	if err != nil {
		return Image{}, err
	}
	base, err := s.baseOf(c, r)
	if err != nil || len(r.last) == 0 {
		return base, err
	}
	var text strings.Builder
	for _, in := range r.last {
		fmt.Fprintf(&text, "%s %s\n", in.word, in.text)
	}
	hash := hexOf(digestOf([]byte(base.Digest + "\n" + text.String())))
	if strings.Contains("\n"+text.String(), "\nCOPY ") {
		if hash, err = c.hash(hash); err != nil {
			return Image{}, err
		}
	}
	if digest, err := os.ReadFile(s.path("made", hash)); err == nil && isDigest(string(digest)) {
		if img, err := s.verified(ctx, string(digest)); err == nil {
			return img, nil
		} // what a power cut has spoiled is made again
	}
	lock, err := s.lock("store", shared)
	if err != nil {
		return Image{}, err
	}
	defer unlock(lock)
	img, err := s.make(ctx, c, base, r.last)
	if err != nil {
		return Image{}, err
	}
	return img, datadir.WriteFile(s.path("made", hash), []byte(img.Digest))
}

// baseOf returns the image on which the last instructions of a Dockerfile stand.
func (s *Store) baseOf(c buildContext, r recipe) (Image, error) {
	if r.base != "" {
		return s.Find(r.base)
	}
	key, err := c.key(r)
	if err != nil {
		return Image{}, err
	}
	all, err := s.names()
	if err != nil {
		return Image{}, err
	}
	digest, ok := all[key]
	if !ok {
		why := "quintain images build FOLDER does it, with buildah, podman or docker, and so does images add with a file from elsewhere"
		if text, err := os.ReadFile(s.failed(key)); err == nil {
			why = "the last build failed: " + string(text)
		}
		return Image{}, fmt.Errorf("%w: %s", ErrNotBuilt, why)
	}
	return s.image(digest)
}

// verified returns an image that was made, if its topmost layer is as it was; a spoiled layer is removed.
func (s *Store) verified(ctx context.Context, digest string) (Image, error) {
	_, c, err := s.manifest(digest)
	if err != nil {
		return Image{}, err
	}
	if n := len(c.Rootfs.DiffIDs); n > 0 {
		top := c.Rootfs.DiffIDs[n-1]
		if err := s.checkLayer(ctx, top); err != nil {
			return Image{}, errors.Join(err, s.discard(top))
		}
	}
	return s.image(digest)
}

// make makes an image by the last instructions of a Dockerfile.
func (s *Store) make(ctx context.Context, c buildContext, base Image, last []instruction) (Image, error) {
	_, conf, err := s.manifest(base.Digest)
	if err != nil {
		return Image{}, err
	}
	t := &topping{context: c, below: base.Lowers, items: map[string]item{}}
	for _, in := range last {
		if err := t.do(in, &conf); err != nil {
			return Image{}, fmt.Errorf("line %d of the Dockerfile: %w", in.line, err)
		}
	}
	if len(t.items) > 0 {
		id, err := s.topLayer(ctx, t)
		if err != nil {
			return Image{}, err
		}
		conf.Rootfs.DiffIDs = append(conf.Rootfs.DiffIDs, id)
	}
	text, err := strictjson.Canonical(conf)
	if err != nil {
		return Image{}, err
	}
	return s.bind(manifest{Config: string(text), From: "a Dockerfile", Base: base.Digest})
}

// do does an instruction.
func (t *topping) do(in instruction, c *config) (err error) {
	switch in.word {
	case "ENV":
		c.Config.Env, err = setEnv(c.Config.Env, in.text)
	case "USER":
		c.Config.User, err = one(in.text, c.Config.Env)
	case "WORKDIR":
		dir, err := one(in.text, c.Config.Env)
		if err != nil || dir == "" {
			return errors.Join(err, errors.New("WORKDIR wants a folder"))
		}
		if !path.IsAbs(dir) {
			dir = path.Join("/", c.Config.WorkingDir, dir)
		}
		c.Config.WorkingDir = path.Clean(dir)
		folder, err := resolve(dir, t.find)
		if err != nil {
			return err
		}
		return t.folder(folder)
	case "COPY":
		return t.copy(in.text, c.Config.WorkingDir, c.Config.Env)
	}
	return err
}

// topLayer makes the layer of a topping, and returns its digest. [Store.verified] looks after what a power cut does to it.
func (s *Store) topLayer(ctx context.Context, t *topping) (string, error) {
	names := make([]string, 0, len(t.items))
	for name := range t.items {
		names = append(names, name)
	}
	slices.Sort(names)
	l, err := s.unpackMade(ctx, false, func(w *tar.Writer) error {
		for _, name := range names {
			if err := t.items[name].write(w); err != nil {
				return err
			}
		}
		return nil
	})
	return l.Digest, err
}

// checkLayer reports whether a layer is still what was unpacked, bit by bit.
func (s *disk) checkLayer(ctx context.Context, digest string) error {
	sum := sha256.New()
	if err := s.write(ctx, sum, digest); err != nil {
		return err
	}
	if got := digestPrefix + hex.EncodeToString(sum.Sum(nil)); got != digest {
		return fmt.Errorf("layer %s is %s now: something has changed its files", digest, got)
	}
	return nil
}
