package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// names returns the digests of all names, and of what was built, whose keys begin with builtPrefix.
func (s *Store) names() (map[string]string, error) {
	text, err := os.ReadFile(s.path("names.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	all := map[string]string{}
	if err == nil {
		err = strictjson.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path("names.json"), err)
	}
	for name, digest := range all {
		if !isDigest(digest) {
			return nil, fmt.Errorf("%s: %q has the digest %.80q", s.path("names.json"), name, digest)
		}
	}
	return all, nil
}

// rename changes names, while nobody else does.
func (s *Store) rename(change func(all map[string]string)) error {
	lock, err := s.lock("names", exclusive)
	if err != nil {
		return err
	}
	defer unlock(lock)
	all, err := s.names()
	if err != nil {
		return err
	}
	change(all)
	text, err := strictjson.Legible(all)
	if err != nil {
		return err
	}
	return datadir.WriteFile(s.path("names.json"), append(text, '\n'))
}

// spellings returns the names by which an image may be known: as written, with the tag that is meant where there is none, and with the
// registry that is.
func spellings(name string) (all []string) {
	forms := []string{name}
	if last := name[strings.LastIndexByte(name, '/')+1:]; !strings.ContainsAny(last, ":@") {
		forms = append(forms, name+":latest")
	} else if short, ok := strings.CutSuffix(name, ":latest"); ok {
		forms = append(forms, short)
	}
	for _, registry := range []string{"", "docker.io/library/", "docker.io/", "localhost/"} {
		for _, form := range forms {
			all = append(all, registry+form)
			if short, ok := strings.CutPrefix(form, "docker.io/library/"); ok {
				all = append(all, short)
			}
		}
	}
	return all
}

// digest returns the digest of an image by its name; a digest stands for itself, alone or after NAME@.
func (s *Store) digest(name string) (string, error) {
	all, err := s.names()
	if err != nil {
		return "", err
	}
	alone := name[strings.LastIndexByte(name, '@')+1:]
	if isDigest(alone) {
		if _, err := os.Stat(s.manifestPath(alone)); err == nil {
			return alone, nil
		}
	}
	for _, form := range append(spellings(name), alone) {
		if digest, ok := all[form]; ok && (isDigest(alone) == isDigest(form)) {
			return digest, nil
		}
	}
	var known []string
	for form := range all {
		if !strings.HasPrefix(form, builtPrefix) && !isDigest(form) {
			known = append(known, form)
		}
	}
	slices.Sort(known)
	from := "FILE"
	if name == "machine" {
		from = "--machine"
	}
	return "", fmt.Errorf("%q: %w%s: quintain images add %s %s adds it, and quintain images list tells what there is", name, ErrNoImage, nearest.Suggest(name, known), name, from)
}

// Find returns an image by its name, as in FROM or docker_image, or by its digest. A name is looked up as written, then with :latest
// and with docker.io/library/. The error is [ErrNoImage] if there is none, and says what to run.
func (s *Store) Find(name string) (Image, error) {
	digest, err := s.digest(name)
	if err != nil {
		return Image{}, err
	}
	img, err := s.image(digest)
	img.Name = name
	return img, err
}
