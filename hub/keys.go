package hub

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// A role is who may use a route.
type role uint8

// The roles. Whoever has a key may look.
const (
	anybody  role = 0
	producer role = 1 << iota
	trainer
	admin
	looker = producer | trainer | admin
)

// A grant is a key, by its hash, and what it is good for.
type grant struct {
	sum   [sha256.Size]byte
	roles role
}

func grantsOf(k Keys) []grant {
	var all []grant
	for _, list := range []struct {
		keys  []string
		roles role
	}{
		{k.All, looker}, {k.Producer, producer}, {k.Trainer, trainer}, {k.Admin, looker},
	} {
		for _, key := range list.keys {
			all = append(all, grant{sha256.Sum256([]byte(key)), list.roles})
		}
	}
	return all
}

// roles are what the key of a request is good for, found in a time that tells nothing
// of any key. Where no key is set, that is everything.
func (t *site) roles(r *http.Request) role {
	if len(t.grants) == 0 {
		return looker
	}
	given := r.Header.Get("X-API-Key")
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		given = strings.TrimSpace(token)
	}
	sum := sha256.Sum256([]byte(given))
	found := anybody
	for _, g := range t.grants {
		if subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1 {
			found |= g.roles
		}
	}
	return found
}

// admit reports whether a request may use a route, and otherwise answers it.
func (s *Server) admits(c *call, to route) bool {
	if to.role == anybody {
		return true
	}
	switch has := s.roles(c.r); {
	case has == anybody:
		c.w.Header().Set("WWW-Authenticate", "Bearer")
		s.detail(c, http.StatusUnauthorized, "Not authenticated")
		return false
	case has&to.role == 0:
		s.detail(c, http.StatusForbidden, "this key is not good for that")
		return false
	}
	return true
}
