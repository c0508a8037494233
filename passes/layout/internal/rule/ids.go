package rule

// The rules, in the order of the table.
const (
	None ID = iota

	Pin
	EntryParameter
	EntryResult
	Infeed
	HostTransfer
	Collective
	CustomCall

	SmallReshape
	Gather
	Scatter
	WindowLargest
	GatherEarly
	ScatterEarly
	ScatterPair
	WindowPlaced
	TurnTable
	KeepTable
	ElementScatter
	Scan
	Dot
	DotGroup
	DotGroupBatch
	DotGroupPair
	DotGroupFree
	DotWide
	DotContracted
	DotPart
	DotGathered
	ExploreCut
	ExploreScaled
	ExploreCollective
	PaddedSize
	FirstSlice
	FourByThree
	MatrixTypes
	ShortM
	Quantized
	Votes
	Reduces
	Convolution
	ConvSingleFeature
	ConvBatchGroups

	UsersReshape
	UsersSquared
	UsersTransposed
	UsersCall
	UsersSymmetric
	UsersDot
	UsersFourier
	UsersInlined
	FromUser
	FromOperand
	Sibling
	BackEdge
	ThroughReshape
	ThroughTranspose
	ThroughGather
	ThroughScatter
	ThroughBroadcast
	ThroughBitcastConvert
	ThroughAllReduce
	TileAligned
	SingleRow
	OnesStay
	ConcatenateLargest
	Late
	VariadicReduce
	NegotiateOperand
	NegotiateValue
	BroadcastKeeps

	Separate
	Shared
	InitialWaits
	ResultWaits
	LoopTakesInitial
	DefaultYields
	OverrideUses
	OverrideResult
	CutMinor
	LargestBranch
	ResultLast
	BodyDecides
	BranchMismatch
	ConditionFirst

	Literal
	PassedParameter
	LoopParameter
	ParameterDefault
	Free

	RepairWindow
	ElementGather
	ElementGatherErased
	RepairReshape
	ReshapeStays
	BitcastUnderTiles
	RepairSort
	RepairAllToAll
	RepairAllGather
	RepairReduceScatter
	RepairPermute
	GatherRows
	RepairSelectAndScatter
	RepairReduce
	RepairDot
	LooseGroup
	GroupLanes
	GroupTurned
	DotTakesFree
	DotTakesCopied
	DotTakesReaders
	DotTakesRest
	DotMatrix
	DotMatrixBatch
	DotMatrixLanes
	DotTakesContracted
	DotTakesSource
	DotReadersThrough
	Refit
	AtRisk

	DropPins
	CompactReduce
	LargestFree
	Cluster

	TupleElement
	ReadAligned
	ReadSwapped
	CopyInBranch
	Legal
	FusedWritten
	FusedFree
	FusedBoundary
	GivenTile

	Count
)
