package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// A Role is the right of a key, and the demand of a route. Servers define their own beside
// these.
type Role string

// The roles of every server.
const (
	Anyone Role = ""      // a route for everybody
	AnyKey Role = "any"   // a route for every key
	Admin  Role = "admin" // a key for every route
)

// A Key is a client's secret and its role.
type Key struct {
	Role   Role // [Admin], or a role of the server
	Secret string
}

// maxKeys limits the bytes of a file of keys.
const maxKeys = 1 << 20

// ReadKeys reads a file with one key per line: "KEY" for all routes, or "ROLE KEY", with one
// of roles or [Admin]. It skips empty lines and comments, which begin with #. An empty path
// gives no keys; an empty file is an error.
func ReadKeys(path string, roles ...Role) (keys []Key, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := jsonl.ReadText(path, maxKeys)
	if err != nil {
		return nil, err
	}
	roles = append(slices.Clone(roles), Admin)
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch {
		case strings.ContainsFunc(line, unsendable):
			return nil, fmt.Errorf("%s: line %d has a non-ASCII character, which no header can carry", path, i+1)
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

// unsendable reports whether a header must not contain r.
func unsendable(r rune) bool { return r > '~' || r < ' ' && r != '\t' && r != '\r' }

// anyOf writes a list of roles: "a, b or c".
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

// A grant is the hash of a key, and its role.
type grant struct {
	sum  [sha256.Size]byte
	role Role
}

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

// keyOf is the key of a request, or empty. Only pages take it from a password, because
// browsers resend passwords on their own.
func keyOf(r *http.Request, to Route) string {
	if _, password, ok := r.BasicAuth(); ok && to.Page {
		return password
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return r.Header.Get("X-API-Key")
}

// check reports whether a call has a known key, and whether that key fits the route. It sets
// the owner. Its time does not depend on how much of a key was guessed.
func (s *Server) check(c *Call, to Route) (known, fits bool) {
	sum := sha256.Sum256([]byte(keyOf(c.R, to)))
	c.Owner = string(sum[:])
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
	switch known, fits := s.check(c, to); {
	case !known:
		c.W.Header().Set("WWW-Authenticate", "Bearer")
		if to.Page {
			c.W.Header().Set("WWW-Authenticate", `Basic realm="any name, and the key as the password"`)
		}
		c.detail(http.StatusUnauthorized, "Not authenticated")
		return false
	case !fits:
		c.detail(http.StatusForbidden, "this key's role does not allow that")
		return false
	}
	return true
}
