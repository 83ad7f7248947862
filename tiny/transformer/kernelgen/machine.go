package main

// width is the number of float32 in a block, the unit of a machine.
const width = 8

// A machine writes instructions for the vector kernels. It has pointers, numbered from 0 to 9,
// and blocks, from 0 to 15; a function with constants has blocks from 0 to 9. Arguments have
// names as in Go assembly: name and offset.
type machine interface {
	// begin starts a function with arguments of the given size in bytes and some constants.
	begin(name string, size int, constants ...uint32)
	// pointer loads an argument, such as the address of a slice or its length.
	pointer(p int, arg string)
	// spread sets all numbers of a block to an argument of type float32.
	spread(d int, arg string)
	// spreadField sets all numbers of a block to a field of the struct at a pointer, named as
	// in go_asm.h.
	spreadField(d, p int, field string)
	// constant sets all numbers of a block to one of the function's constants.
	constant(d, i int)
	// load and store move a block from and to memory, at an offset in blocks from a pointer.
	load(d, p, offset int)
	store(d, p, offset int)
	// copy sets d to a.
	copy(d, a int)
	// op sets block d to a∘b. It may be the same as a or b.
	op(op operation, d, a, b int)
	// fuse adds a·b to d, rounding once.
	fuse(d, a, b int)
	// root sets d to the square root of a.
	root(d, a int)
	// shift shifts the bits of d to the left.
	shift(d, bits int)
	// loop repeats body for every blocks blocks of the length in pointer n, a multiple of
	// that; with blocks 0, n times.
	loop(n, blocks int, body func())
	// move advances pointers by some blocks, and moveBy one pointer by the bytes in another.
	move(blocks int, pointers ...int)
	moveBy(p, q int)
	// fold sets the first number of d to all of its numbers combined by op: i with i+4, then
	// neighbours. It may change block t.
	fold(op operation, d, t int)
	// result stores the first number of a block in a result.
	result(d int, arg string)
	// end returns.
	end()
}

// An operation is one on two blocks.
type operation int

const (
	add      operation = iota
	subtract           // a-b
	times
	divide   // a/b
	larger   // the larger number; NaN if b is NaN
	below    // all bits set where a < b, else none
	without  // the bits of b that are clear in a
	addWhole // a+b as integers
)
