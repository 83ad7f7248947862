//go:build !heavy

package main

const damagesAtRest = 6
