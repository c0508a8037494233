package build

// Codes of what can be wrong with a text.
const (
	CodeSyntax       = "HLO001"
	CodeToken        = "HLO002"
	CodeNumber       = "HLO003"
	CodeTooDeep      = "HLO004"
	CodeTooLarge     = "HLO005"
	CodeOperand      = "HLO010"
	CodeComputation  = "HLO011"
	CodeDuplicate    = "HLO012"
	CodeRoot         = "HLO013"
	CodeParameter    = "HLO014"
	CodeArity        = "HLO015"
	CodeOpcode       = "HLO020"
	CodeAttribute    = "HLO021"
	CodeRepeated     = "HLO022"
	CodeValue        = "HLO023"
	CodeElementType  = "HLO030"
	CodeDimension    = "HLO031"
	CodeLayout       = "HLO032"
	CodeOperandShape = "HLO033"
	CodeResultShape  = "HLO034"
	CodeInference    = "HLO035"
	CodeTables       = "HLO040"
)
