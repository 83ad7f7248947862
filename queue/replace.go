package queue

import "context"

// A group that is set aside is replaced by the next put of its ID with the same content.

// aside finds the groups set aside under keys of the queue. x.mu is held.
func (x *index) aside(keys []Key) map[Key]Unreadable {
	if len(x.unreadable) == 0 {
		return nil
	}
	wanted := make(map[Key]struct{})
	for _, k := range keys {
		if _, here := x.here[k]; here {
			wanted[k] = struct{}{}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	found := make(map[Key]Unreadable)
	for seq, a := range x.unreadable {
		k := a.key()
		_, ok := wanted[k]
		if _, seized := x.leased[seq]; ok && !seized {
			found[k] = a
		}
	}
	return found
}

// displace removes the group that group i of p replaces from the index, and leases it until
// [Queue.replace]. It reports false if there is none, or it can be read again. x.mu is held.
func (x *index) displace(p *putOp, i int) (Unreadable, bool) {
	old, ok := p.aside[p.keys[i]]
	if !ok {
		return old, false
	}
	if _, ok = x.unreadable[old.Seq]; !ok || x.leased[old.Seq] != nil {
		return old, false
	}
	delete(x.unreadable, old.Seq)
	delete(x.here, p.keys[i])
	x.leased[old.Seq] = &lease{Entry: old.Entry, busy: true}
	return old, true
}

// replace logs displaced groups as done, but not their keys, which the new groups have.
func (q *Queue) replace(ctx context.Context, list []Unreadable) {
	if len(list) == 0 {
		return
	}
	entries := make([]Entry, len(list))
	for i, old := range list {
		entries[i] = old.Entry
		entries[i].anon = true
		q.log.Info("a group that could not be read was put again", "id", old.ID, "seq", old.Seq)
	}
	if err := q.finish(ctx, entries); err != nil { // they stay leased
		q.log.Warn("unreadable groups stay in the store until it is reopened", "groups", len(list), "err", err)
	}
}

// dropOlder makes the group garbage that l replaced, because the process ended meanwhile. The
// caller has the index for itself.
func (x *index) dropOlder(l Listed) {
	if _, shown := x.find(l.Seq); shown { // damage may copy a group
		return
	}
	for seq, a := range x.unreadable {
		if a.key() == l.Key {
			delete(x.unreadable, seq)
			x.garbage[seq] = struct{}{}
		}
	}
	for _, e := range x.waiting.all() {
		if !e.anon && e.key() == l.Key {
			x.waiting.take([]uint64{e.Seq})
			x.garbage[e.Seq] = struct{}{}
			return
		}
	}
}
