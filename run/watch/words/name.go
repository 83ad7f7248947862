package words

import (
	"hash/fnv"
	"strings"
)

// The words of a run's name. Their order is part of all names: add none.
const (
	qualities = `amber ample azure bold brave brief bright brisk broad calm clear clever cool coral crisp curious
		deep eager early easy even fair famous fast fine firm fond fresh gentle glad golden grand
		great green happy hardy honest ivory jolly keen kind large light lively long loyal lucid lucky
		mellow merry mild modest neat noble patient plain proud quick quiet rapid ready silver steady warm`
	animals = `adder badger beaver bison bittern buzzard carp cicada condor coot crane cricket curlew deer dolphin dove
		eagle egret eider falcon ferret finch fox gecko goose grebe grouse gull hare hawk heron hornet
		ibex ibis jackdaw kestrel kite lapwing lark linnet lizard lynx magpie marten merlin mole moth newt
		nightjar osprey otter owl petrel pike plover puffin quail raven robin salmon seal stoat swift wren`
)

// TwoWords is a name of a run that people can say. An ID always has the same one.
func TwoWords(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id)) // never fails
	a, b := strings.Fields(qualities), strings.Fields(animals)
	return a[h.Sum32()%uint32(len(a))] + " " + b[h.Sum32()/uint32(len(a))%uint32(len(b))]
}
