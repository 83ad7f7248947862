package pool

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// slack is the factor by which a server may exceed its share and still get its own
// conversations.
const slack = 1.25

// route returns the index of the server for n more samples, given each server's load and
// its rank for the conversation; load below 0: it takes none. It returns -1 if no server
// takes any.
//
// A conversation goes to its highest-ranking server, unless that server would then exceed
// the mean by more than a quarter; else it goes to the least loaded one.
func route(loads []int, ranks []uint64, n int) int {
	own, least, sum, open := -1, -1, n, 0
	for i, load := range loads {
		if load < 0 {
			continue
		}
		sum, open = sum+load, open+1
		if own < 0 || ranks[i] > ranks[own] {
			own = i
		}
		if least < 0 || load < loads[least] || load == loads[least] && ranks[i] > ranks[least] {
			least = i
		}
	}
	if own >= 0 && float64(loads[own]+n) <= slack*float64(sum)/float64(open) {
		return own
	}
	return least
}

// rank ranks a server for the conversation of a key by a hash of both (rendezvous hashing:
// Thaler and Ravishankar, 1998): when a server comes or goes, only its own conversations
// move. The episodes of a group have one rank, because they share a prompt.
func rank(key, url string) uint64 {
	if end := strings.IndexAny(key, "#~"); end >= 0 {
		key = key[:end]
	}
	sum := sha256.Sum256([]byte(url + "\n" + key))
	return binary.BigEndian.Uint64(sum[:])
}
