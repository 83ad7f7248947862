package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// A Role is what a key is good for, and what a route asks for. A server names its own
// roles beside these.
type Role string

// The roles of every server.
const (
	Anyone Role = ""      // of a route: it needs no key
	AnyKey Role = "any"   // of a route: every key is good for it
	Admin  Role = "admin" // of a key: it is good for every route
)

// A Key opens a server.
type Key struct {
	Role   Role // [Admin], or a role of the server
	Secret string
}

// ReadKeys reads a file with a key on each line: "KEY" is good for everything, "ROLE
// KEY" for the routes of a role, which is one of roles or [Admin]. Empty lines and
// lines that begin with # are skipped. An empty path gives no keys, and an empty file
// an error.
func ReadKeys(path string, roles ...Role) (keys []Key, err error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roles = append(slices.Clone(roles), Admin)
	text := strings.TrimPrefix(string(data), "\ufeff") // some editors begin a file with it
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case strings.ContainsFunc(line, unsendable):
			return nil, fmt.Errorf("%s: line %d has a character that is not in ASCII, and could not be sent as a key", path, i+1)
		case len(words) == 1 && slices.Contains(roles, Role(words[0])):
			return nil, fmt.Errorf("%s: line %d has the role %s and no key: want %s KEY", path, i+1, words[0], words[0])
		case len(words) == 1:
			keys = append(keys, Key{Admin, words[0]})
		case len(words) == 2 && slices.Contains(roles, Role(words[0])):
			keys = append(keys, Key{Role(words[0]), words[1]})
		default:
			return nil, fmt.Errorf("%s: line %d is not a key: want KEY, or %s and a KEY", path, i+1, anyOf(roles))
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return keys, nil
}

// unsendable reports whether a header should not have this character.
func unsendable(r rune) bool { return r > '~' || r < ' ' && r != '\t' && r != '\r' }

// anyOf writes roles for people.
func anyOf(roles []Role) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// A grant is a key, by its hash, and its role.
type grant struct {
	sum  [sha256.Size]byte
	role Role
}

// grantsOf returns the grants of keys.
func grantsOf(keys []Key) ([]grant, error) {
	var all []grant
	for _, k := range keys {
		if k.Secret == "" || k.Role == Anyone || k.Role == AnyKey {
			return nil, errors.New("a key is empty, or has no role")
		}
		all = append(all, grant{sha256.Sum256([]byte(k.Secret)), k.Role})
	}
	return all, nil
}

// keyOf is the key that a request for a route brings; empty: none. A browser sends it as
// a password, again and again, and only pages take it from there.
func keyOf(r *http.Request, to Route) string {
	if _, password, ok := r.BasicAuth(); ok && to.Page {
		return password
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return r.Header.Get("X-API-Key")
}

// check reports whether a request brings a key, and whether that is good for a route.
// The time it takes does not depend on how much of a key was guessed.
func (s *Server) check(r *http.Request, to Route) (known, fits bool) {
	sum := sha256.Sum256([]byte(keyOf(r, to)))
	for _, g := range s.grants {
		if subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1 {
			known = true
			fits = fits || to.For == AnyKey || g.role == Admin || g.role == to.For
		}
	}
	return known, fits
}

// admits reports whether a call may use a route, and answers it if not.
func (s *Server) admits(c *Call, to Route) bool {
	if to.For == Anyone || len(s.grants) == 0 {
		return true
	}
	switch known, fits := s.check(c.R, to); {
	case !known:
		c.W.Header().Set("WWW-Authenticate", "Bearer")
		if to.Page {
			c.W.Header().Set("WWW-Authenticate", `Basic realm="any name, and the key as the password"`)
		}
		c.detail(http.StatusUnauthorized, "Not authenticated")
		return false
	case !fits:
		c.detail(http.StatusForbidden, "this key is not good for that")
		return false
	}
	return true
}
