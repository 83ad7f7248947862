package web

import "sync"

// A FreeList keeps large items, such as buffers, for later calls. Many goroutines may use it
// at once.
type FreeList[T any] struct {
	most int // total bytes of the items

	mu    sync.Mutex
	items []T
	sizes []int
	total int
}

// NewFreeList returns a list of items that take most bytes together, at most.
func NewFreeList[T any](most int) *FreeList[T] { return &FreeList[T]{most: most} }

// Get returns the item that was put last with its size in bytes, or the zero value if the
// list is empty.
func (f *FreeList[T]) Get() (item T, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := len(f.items) - 1
	if last < 0 {
		return item, 0
	}
	var none T
	item, size = f.items[last], f.sizes[last]
	f.items[last] = none
	f.items, f.sizes = f.items[:last], f.sizes[:last]
	f.total -= size
	return item, size
}

// Put adds an item of size bytes if there is room, and else drops it.
func (f *FreeList[T]) Put(item T, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total+size > f.most {
		return
	}
	f.items, f.sizes = append(f.items, item), append(f.sizes, size)
	f.total += size
}
