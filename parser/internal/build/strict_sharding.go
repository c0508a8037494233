package build

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// checkIota refuses [dims]<=[dims]T(perm) with T(...) missing where there is something to permute, or of another
// length, or with a number that is no dimension. XLA does not look for repeated ones.
func checkIota(items []hlo.Value, refuse func(string)) {
	reshape := len(items[2].Elems)
	if reshape == 0 {
		refuse("expected the dimensions after `<=`")
	}
	switch permuted := len(items) > 4 && items[3].Text == "T"; {
	case permuted != (reshape > 1):
		refuse("T(...) follows the dimensions of `<=` where there are more than one")
	case permuted && len(items[4].Elems) != reshape:
		refuse("T(...) has as many numbers as there are dimensions in front of it")
	case permuted:
		for i := range items[4].Elems {
			if d, ok := items[4].Elems[i].Int(); !ok || d < 0 || d >= int64(reshape) {
				refuse("T(...) has the number " + items[4].Elems[i].Text + ", and the dimensions in front of it are 0 to " +
					strconv.Itoa(reshape-1))
			}
		}
	}
}

// shardingKinds are the kinds of sharding without devices of their own, in last_tile_dims too.
var shardingKinds = []string{"replicated", "manual", "unknown", "unreduced", "maximal"}

// sharding is what the parts of one say.
type sharding struct {
	refuse         func(string)
	flags          map[string]bool
	device, iota   bool
	tiles, devices []int
}

// shardingParts are the parts of a sharding that have something after their name. Each takes the items from its own on
// and returns how many they are, 0 where it is written in another way.
var shardingParts = map[string]func(s *sharding, items []hlo.Value) int{
	"shard_as":   groupOf,
	"shard_like": groupOf,
	"device": func(s *sharding, items []hlo.Value) int {
		s.device = true
		return pairOf(&items[0], func(v *hlo.Value) bool { return v.Kind == hlo.IntValue })
	},
	"devices": (*sharding).readDevices,
	"last_tile_dims": func(s *sharding, items []hlo.Value) int {
		if pairOf(&items[0], braced) == 0 {
			return 0
		}
		for i := range items[0].Elems[0].Elems {
			if word := items[0].Elems[0].Elems[i].Text; !slices.Contains(shardingKinds, word) {
				s.refuse(quote(word) + " is not a kind of sharding")
			}
		}
		return 1
	},
	"metadata": func(s *sharding, items []hlo.Value) int {
		if pairOf(&items[0], braced) == 0 {
			return 0
		}
		list := items[0].Elems[0]
		all := list.Elems
		if len(all) == 0 || all[0].Open != '{' {
			all = []hlo.Value{list}
		}
		for i := range all {
			checkMetadata(&all[i], s.refuse)
		}
		return 1
	},
}

// groupOf takes the number of the group that is sharded alike.
func groupOf(_ *sharding, items []hlo.Value) int {
	if items[0].Kind == hlo.WordValue && len(items) > 1 && items[1].Kind == hlo.IntValue {
		return 2
	}
	return 0
}

// pairOf is 1 if an item is key=value with such a value, else 0.
func pairOf(item *hlo.Value, such func(*hlo.Value) bool) int {
	if item.Kind == hlo.PairValue && such(&item.Elems[0]) {
		return 1
	}
	return 0
}

func braced(v *hlo.Value) bool { return v.Open == '{' }

// readDevices takes the tile dimensions, and then <=[...] with T(...), or the devices one by one.
func (s *sharding) readDevices(items []hlo.Value) int {
	if pairOf(&items[0], func(v *hlo.Value) bool { return v.Open == '[' && len(v.Elems) > 0 }) == 0 {
		return 0
	}
	s.tiles, _ = items[0].Elems[0].Ints()
	if s.iota = len(items) > 2 && items[1].Text == "<="; s.iota {
		checkIota(items, s.refuse)
		if len(items) > 4 && items[3].Text == "T" {
			return 5
		}
		return 3
	}
	n := 1
	for ; n < len(items) && items[n].Kind == hlo.IntValue; n++ {
		device, _ := items[n].Int()
		s.devices = append(s.devices, int(device))
	}
	if s.devices == nil {
		s.refuse("devices= has the tile dimensions, and then the devices")
	}
	return n
}

// checkSharding refuses a sharding with unknown flags, or with devices that do not fit its kind.
func checkSharding(v *hlo.Value, depth int, refuse func(string)) {
	if len(v.Elems) == 0 {
		if depth > 0 {
			refuse(noDevices)
		}
		return // of an empty tuple
	}
	switch first := &v.Elems[0]; {
	case first.Kind == hlo.WordValue && (first.Text == "mesh" || first.Text == "maximal_mesh"):
		checkMesh(v, refuse)
		return
	case first.Kind == hlo.ListValue && braced(first):
		if depth > 0 {
			refuse("a sharding of a tuple has one level of braces")
		}
		for i := range v.Elems {
			checkSharding(&v.Elems[i], depth+1, refuse)
		}
		return
	}
	s := sharding{refuse: refuse, flags: map[string]bool{}}
	for rest := v.Elems; len(rest) > 0; {
		word, n := rest[0].Text, 0
		if read := shardingParts[word]; read != nil {
			n = read(&s, rest)
		} else if rest[0].Kind == hlo.WordValue &&
			(slices.Contains(shardingKinds, word) || word == "last_tile_dim_replicate") {
			s.flags[word], n = true, 1
		}
		if n == 0 {
			refuse(quote(word) + " is not a part of a sharding")
			return
		}
		rest = rest[n:]
	}
	s.checkDevices()
}

const noDevices = "it has no devices, and is neither replicated nor manual"

// checkDevices refuses devices that do not fit the kind of a sharding.
func (s *sharding) checkDevices() {
	switch assigned := s.device || s.tiles != nil; {
	case s.flags["replicated"]:
	case s.flags["maximal"]:
		if !s.device || s.tiles != nil {
			s.refuse("a maximal sharding has one device")
		}
	case s.flags["manual"], s.flags["unknown"], s.flags["unreduced"]:
		if assigned {
			s.refuse("it has no devices")
		}
	case s.tiles == nil:
		s.refuse(noDevices)
	case !s.iota && len(s.devices) <= 1:
		s.refuse("a non-maximal sharding has more than one device")
	}
}

// checkMesh refuses a sharding by named axes without the list of its dimensions.
func checkMesh(v *hlo.Value, refuse func(string)) {
	if v.Elems[0].Text == "maximal_mesh" {
		return
	}
	lists := 0
	for i := 1; i < len(v.Elems); i++ {
		switch e := &v.Elems[i]; {
		case e.Kind == hlo.ListValue && e.Open == '[':
			lists++
		case e.Kind != hlo.PairValue && e.Kind != hlo.ListValue:
			refuse(quote(e.Text) + " is not a part of a sharding by axes")
			return
		}
	}
	if lists != 2 {
		refuse("a sharding by axes has the axes of the mesh and those of each dimension in brackets")
	}
}

var dimLabelsPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9bf?]{2,})_([0-9io?]{2,})->([0-9bf?]{2,})$`)
})

// checkDimLabels refuses labels of a convolution that repeat one, or whose three parts have different numbers of
// spatial dimensions.
func checkDimLabels(text string, refuse func(string)) {
	parts := dimLabelsPattern().FindStringSubmatch(text)
	if parts == nil {
		refuse("dimension labels are written as b01f_01io->b01f")
		return
	}
	var spatial [3]int
	for i, part := range parts[1:] {
		for j, label := range part {
			if label != '?' && strings.ContainsRune(part[:j], label) {
				refuse("the label " + quote(string(label)) + " stands twice in " + part)
			}
			if label >= '0' && label <= '9' {
				spatial[i]++
			}
		}
	}
	if spatial[0] != spatial[1] || spatial[0] != spatial[2] {
		refuse("the input, the kernel and the output have different numbers of spatial dimensions")
	}
}
