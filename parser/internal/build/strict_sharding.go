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

// shardingWords are the flags of a sharding that take no value.
var shardingWords = map[string]bool{"replicated": true, "manual": true, "unknown": true, "unreduced": true,
	"maximal": true, "last_tile_dim_replicate": true}

// checkSharding refuses a sharding with unknown flags, or with devices that do not fit its kind.
func checkSharding(v *hlo.Value, depth int, refuse func(string)) {
	if len(v.Elems) > 0 && v.Elems[0].Kind == hlo.WordValue && (v.Elems[0].Text == "mesh" ||
		v.Elems[0].Text == "maximal_mesh") {
		checkMesh(v, refuse)
		return
	}
	if len(v.Elems) > 0 && v.Elems[0].Kind == hlo.ListValue && v.Elems[0].Open == '{' {
		if depth > 0 {
			refuse("a sharding of a tuple has one level of braces")
		}
		for i := range v.Elems {
			checkSharding(&v.Elems[i], depth+1, refuse)
		}
		return
	}
	if len(v.Elems) == 0 && depth == 0 {
		return // of an empty tuple
	}
	flags, device := map[string]bool{}, false
	var tiles, devices []int
	iota := false
	for i := 0; i < len(v.Elems); i++ {
		e := &v.Elems[i]
		switch {
		case e.Kind == hlo.WordValue && shardingWords[e.Text]:
			flags[e.Text] = true
		case e.Kind == hlo.WordValue && (e.Text == "shard_as" || e.Text == "shard_like") && i+1 < len(v.Elems) &&
			v.Elems[i+1].Kind == hlo.IntValue:
			i++
		case e.Kind == hlo.PairValue && e.Text == "device" && e.Elems[0].Kind == hlo.IntValue:
			device = true
		case e.Kind == hlo.PairValue && e.Text == "devices" && e.Elems[0].Open == '[' && len(e.Elems[0].Elems) > 0:
			tiles, _ = e.Elems[0].Ints()
			rest := v.Elems[i+1:]
			if iota = len(rest) > 1 && rest[0].Text == "<="; iota {
				checkIota(v.Elems[i:], refuse)
				i += 2
				if i+2 < len(v.Elems) && v.Elems[i+1].Text == "T" {
					i += 2
				}
				continue
			}
			for ; i+1 < len(v.Elems) && v.Elems[i+1].Kind == hlo.IntValue; i++ {
				n, _ := v.Elems[i+1].Int()
				devices = append(devices, int(n))
			}
			if devices == nil {
				refuse("devices= has the tile dimensions, and then the devices")
			}
		case e.Kind == hlo.PairValue && e.Text == "last_tile_dims" && e.Elems[0].Open == '{':
			for j := range e.Elems[0].Elems {
				if word := e.Elems[0].Elems[j].Text; !slices.Contains([]string{"replicated", "manual", "unknown",
					"unreduced",
					"maximal"}, word) {
					refuse(quote(word) + " is not a kind of sharding")
				}
			}
		case e.Kind == hlo.PairValue && e.Text == "metadata" && e.Elems[0].Open == '{':
			list := &e.Elems[0]
			if len(list.Elems) > 0 && list.Elems[0].Open == '{' {
				for j := range list.Elems {
					checkMetadata(&list.Elems[j], refuse)
				}
			} else {
				checkMetadata(list, refuse)
			}
		default:
			refuse(quote(e.Text) + " is not a part of a sharding")
			return
		}
	}
	checkDevices(flags, device, tiles, devices, iota, refuse)
}

// checkDevices refuses devices that do not fit the kind of a sharding.
func checkDevices(flags map[string]bool, device bool, tiles, devices []int, iota bool, refuse func(string)) {
	assigned := device || tiles != nil
	switch {
	case flags["replicated"]:
	case flags["maximal"]:
		if !device || tiles != nil {
			refuse("a maximal sharding has one device")
		}
	case flags["manual"], flags["unknown"], flags["unreduced"]:
		if assigned {
			refuse("it has no devices")
		}
	case tiles == nil:
		refuse("it has no devices, and is neither replicated nor manual")
	case !iota && len(devices) <= 1:
		refuse("a non-maximal sharding has more than one device")
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
