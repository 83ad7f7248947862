package catalog

import "math/bits"

// A twister is the generator MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998),
// as in Python.
type twister struct {
	state [624]uint32
	next  int
}

// newTwister returns the generator of Python's random.Random(seed): the words of the seed,
// lowest first, are the key of init_by_array.
func newTwister(seed uint64) *twister {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high > 0 {
		key = append(key, high)
	}
	r := &twister{next: len(twister{}.state)}
	s := &r.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	at := 1
	stir := func(factor uint32, add func(i int) uint32) {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*factor) + add(at)
		if at++; at == len(s) {
			s[0], at = s[len(s)-1], 1
		}
	}
	for k := range s {
		stir(1664525, func(int) uint32 { return key[k%len(key)] + uint32(k%len(key)) })
	}
	for range len(s) - 1 {
		stir(1566083941, func(i int) uint32 { return -uint32(i) })
	}
	s[0] = 1 << 31
	return r
}

// below returns a number from 0 to n-1, as Python does: it draws as many bits as n has
// until the result is below n.
func (r *twister) below(n int) int {
	for {
		if v := int(r.uint32() >> (32 - bits.Len(uint(n)))); v < n {
			return v
		}
	}
}

// uint32 returns 32 random bits.
func (r *twister) uint32() uint32 {
	if r.next == len(r.state) {
		r.twist()
	}
	v := r.state[r.next]
	r.next++
	v ^= v >> 11
	v ^= v << 7 & 0x9d2c5680
	v ^= v << 15 & 0xefc60000
	return v ^ v>>18
}

// twist makes the next 624 numbers.
func (r *twister) twist() {
	s := &r.state
	for i := range s {
		v := s[i]&(1<<31) | s[(i+1)%len(s)]&(1<<31-1)
		s[i] = s[(i+397)%len(s)] ^ v>>1 ^ v&1*0x9908b0df
	}
	r.next = 0
}
