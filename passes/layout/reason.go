package layout

// rule says why a layout was set; its text stands in the plan's reasons.
type rule uint8

const (
	ruleNone rule = iota
	ruleEntryParameter
	ruleEntryResult
	ruleDot
	ruleConvolution
	ruleSmallReshape
	ruleGather
	ruleScatter
	ruleScan
	ruleLinalg
	ruleCustomCall
	ruleInfeed
	ruleCollective
	ruleRepairReshape
	ruleRepairReduce
	ruleRepairSort
	ruleRepairAllToAll
	ruleRepairSelectAndScatter
	ruleCompactReduce
	ruleCluster
	ruleAtRisk
	ruleFromUser
	ruleFromOperand
	ruleSibling
	ruleBoundary
	ruleBackEdge
	ruleLiteral
	ruleParameterDefault
	ruleFree
	ruleFusedFree
	ruleFusedBoundary
	rulePin
	numRules
)

// ruleText names the rules; the numbers are sections of doc.go.
var ruleText = [numRules]string{
	ruleNone:                   "",
	ruleEntryParameter:         "the entry layout of the parameter",
	ruleEntryResult:            "the entry layout of the result",
	ruleDot:                    "the matrix unit's order for a dot",
	ruleConvolution:            "the matrix unit's order for a convolution",
	ruleSmallReshape:           "the cheapest order of a small reshape",
	ruleGather:                 "window dimensions minor for a gather",
	ruleScatter:                "window dimensions minor for a scatter",
	ruleScan:                   "the order for a scan along one dimension",
	ruleLinalg:                 "the descending order of a linear algebra operation",
	ruleCustomCall:             "the custom call's own layouts",
	ruleInfeed:                 "the layout of infeed or outfeed",
	ruleCollective:             "the collective's own layouts",
	ruleRepairReshape:          "repair: the cheapest order of a reshape that was no bitcast",
	ruleRepairReduce:           "repair: the natural order of a reduce's result",
	ruleRepairSort:             "repair: the sorted dimension minor",
	ruleRepairAllToAll:         "repair: the split dimension major",
	ruleRepairSelectAndScatter: "repair: windowed dimensions major",
	ruleCompactReduce:          "the compact order for a reduce whose operand is free",
	ruleCluster:                "the compact order pays for a group of elementwise operations",
	ruleAtRisk:                 "the compact order for a value that lies wastefully",
	ruleFromUser:               "what its user wants",
	ruleFromOperand:            "follows its operand",
	ruleSibling:                "follows another operand of the same instruction",
	ruleBoundary:               "one layout on both sides of a while, conditional or call",
	ruleBackEdge:               "the loop's body gives it back in this layout",
	ruleLiteral:                "the literal's own layout",
	ruleParameterDefault:       "the device default of an entry parameter",
	ruleFusedFree:              "inside of a fusion: descending",
	ruleFusedBoundary:          "as outside of the fusion",
	rulePin:                    "pinned by the caller",
	ruleFree:                   "nothing constrains it: descending",
}

// ruleOfDefault names the rules of the interface where its layouts are the target's defaults.
var ruleOfDefault = map[rule]string{
	ruleEntryParameter: "the target's default layout of a parameter",
	ruleEntryResult:    "the target's default layout of a result",
}

// cause is why a constraint has its layout: the rule, and the node it comes from (-1 for none).
type cause struct {
	rule rule
	node int32
}
