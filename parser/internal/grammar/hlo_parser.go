// Code generated from HLOParser.g4 by ANTLR 4.13.2. DO NOT EDIT.

//lint:file-ignore SA4006 ANTLR's Go target reads a token type before loops that read it again

package grammar // HLOParser
import (
	"fmt"
	"strconv"
	"sync"

	"github.com/antlr4-go/antlr/v4"
)

// Suppress unused import errors
var _ = fmt.Printf
var _ = strconv.Itoa
var _ = sync.Once{}

type HLOParser struct {
	Base
}

var HLOParserParserStaticData struct {
	once                   sync.Once
	serializedATN          []int32
	LiteralNames           []string
	SymbolicNames          []string
	RuleNames              []string
	PredictionContextCache *antlr.PredictionContextCache
	atn                    *antlr.ATN
	decisionToDFA          []*antlr.DFA
}

func hloparserParserInit() {
	staticData := &HLOParserParserStaticData
	staticData.LiteralNames = []string{
		"", "", "", "", "", "", "", "'HloModule'", "'ENTRY'", "'ROOT'", "'FileNames'",
		"'FunctionNames'", "'FileLocations'", "'StackFrames'", "", "'='", "",
		"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
		"", "", "", "", "", "", "", "", "", "", "'\\u0001'", "", "", "'D'",
		"'T'", "'L'", "'E'", "'S'", "'SC'", "'P'", "'M'", "", "'*'", "'<='",
		"'?'",
	}
	staticData.SymbolicNames = []string{
		"", "BRACED", "TUPLE", "JSON", "LITERAL", "BRACKETED", "SCALAR", "HLOMODULE",
		"ENTRY", "ROOT", "FILE_NAMES", "FUNCTION_NAMES", "FILE_LOCATIONS", "STACK_FRAMES",
		"ATTR", "EQ", "NAME", "SHAPE", "INT", "FLOAT", "STRING", "ARROW", "ELLIPSIS",
		"COMMA", "COLON", "HASH", "LBRACE", "RBRACE", "LPAREN", "RPAREN", "SPACE",
		"R_SPACE", "O_SPACE", "CONSTANT", "OPCODE", "V_SPACE", "LV_SPACE", "LB_SPACE",
		"JV_SPACE", "FV_SPACE", "F_SPACE", "LBRACK", "RBRACK", "PUNCT", "PATTERN",
		"FE_SPACE", "L_SPACE", "DIM_TYPES", "TILES", "TAIL", "ELEMENT_BITS",
		"MEMORY_SPACE", "SPLITS", "PHYSICAL", "METADATA_PREFIX", "TYPE", "STAR",
		"BOUND", "UNBOUNDED", "MARK",
	}
	staticData.RuleNames = []string{
		"module", "headerless", "single", "body", "valueText", "frontendText",
		"shapeText", "header", "attr", "tables", "field", "computation", "parameter",
		"resultShape", "tupleShape", "instruction", "operandTail", "operands",
		"operand", "rareOperand", "item", "atom", "shape", "typeName", "dimension",
		"layout", "tileDim",
	}
	staticData.PredictionContextCache = antlr.NewPredictionContextCache()
	staticData.serializedATN = []int32{
		4, 1, 59, 656, 2, 0, 7, 0, 2, 1, 7, 1, 2, 2, 7, 2, 2, 3, 7, 3, 2, 4, 7,
		4, 2, 5, 7, 5, 2, 6, 7, 6, 2, 7, 7, 7, 2, 8, 7, 8, 2, 9, 7, 9, 2, 10, 7,
		10, 2, 11, 7, 11, 2, 12, 7, 12, 2, 13, 7, 13, 2, 14, 7, 14, 2, 15, 7, 15,
		2, 16, 7, 16, 2, 17, 7, 17, 2, 18, 7, 18, 2, 19, 7, 19, 2, 20, 7, 20, 2,
		21, 7, 21, 2, 22, 7, 22, 2, 23, 7, 23, 2, 24, 7, 24, 2, 25, 7, 25, 2, 26,
		7, 26, 1, 0, 1, 0, 3, 0, 57, 8, 0, 1, 0, 4, 0, 60, 8, 0, 11, 0, 12, 0,
		61, 1, 0, 1, 0, 1, 1, 4, 1, 67, 8, 1, 11, 1, 12, 1, 68, 1, 1, 1, 1, 1,
		2, 1, 2, 1, 2, 1, 3, 4, 3, 77, 8, 3, 11, 3, 12, 3, 78, 1, 3, 1, 3, 1, 4,
		1, 4, 4, 4, 85, 8, 4, 11, 4, 12, 4, 86, 1, 4, 1, 4, 1, 5, 1, 5, 1, 5, 1,
		5, 1, 5, 1, 5, 1, 5, 1, 5, 5, 5, 99, 8, 5, 10, 5, 12, 5, 102, 9, 5, 1,
		5, 1, 5, 1, 5, 1, 5, 1, 6, 1, 6, 1, 6, 1, 7, 1, 7, 1, 7, 1, 7, 1, 7, 5,
		7, 116, 8, 7, 10, 7, 12, 7, 119, 9, 7, 1, 7, 1, 7, 1, 8, 1, 8, 1, 8, 1,
		8, 1, 8, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 5, 9, 134, 8, 9, 10, 9, 12,
		9, 137, 9, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 5, 9, 144, 8, 9, 10, 9, 12,
		9, 147, 9, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 5, 9, 154, 8, 9, 10, 9, 12,
		9, 157, 9, 9, 1, 9, 1, 9, 5, 9, 161, 8, 9, 10, 9, 12, 9, 164, 9, 9, 1,
		9, 1, 9, 1, 9, 1, 9, 1, 9, 5, 9, 171, 8, 9, 10, 9, 12, 9, 174, 9, 9, 1,
		9, 1, 9, 5, 9, 178, 8, 9, 10, 9, 12, 9, 181, 9, 9, 1, 10, 1, 10, 1, 10,
		1, 10, 1, 10, 3, 10, 188, 8, 10, 1, 11, 1, 11, 3, 11, 192, 8, 11, 1, 11,
		1, 11, 1, 11, 1, 11, 1, 11, 1, 11, 1, 11, 5, 11, 201, 8, 11, 10, 11, 12,
		11, 204, 9, 11, 3, 11, 206, 8, 11, 1, 11, 1, 11, 1, 11, 1, 11, 1, 11, 3,
		11, 213, 8, 11, 1, 11, 1, 11, 4, 11, 217, 8, 11, 11, 11, 12, 11, 218, 1,
		11, 1, 11, 1, 11, 1, 11, 5, 11, 225, 8, 11, 10, 11, 12, 11, 228, 9, 11,
		1, 11, 1, 11, 1, 12, 1, 12, 3, 12, 234, 8, 12, 1, 12, 1, 12, 1, 13, 1,
		13, 1, 13, 1, 13, 1, 13, 1, 13, 3, 13, 244, 8, 13, 1, 14, 3, 14, 247, 8,
		14, 1, 14, 1, 14, 1, 14, 3, 14, 252, 8, 14, 1, 14, 1, 14, 1, 14, 3, 14,
		257, 8, 14, 5, 14, 259, 8, 14, 10, 14, 12, 14, 262, 9, 14, 3, 14, 264,
		8, 14, 1, 14, 1, 14, 1, 15, 1, 15, 1, 15, 3, 15, 271, 8, 15, 1, 15, 1,
		15, 1, 15, 1, 15, 1, 15, 3, 15, 278, 8, 15, 1, 15, 1, 15, 1, 15, 1, 15,
		1, 15, 1, 15, 1, 15, 1, 15, 1, 15, 1, 15, 3, 15, 290, 8, 15, 1, 15, 1,
		15, 1, 15, 1, 15, 1, 15, 3, 15, 297, 8, 15, 3, 15, 299, 8, 15, 1, 15, 3,
		15, 302, 8, 15, 1, 15, 1, 15, 1, 15, 1, 15, 1, 15, 3, 15, 309, 8, 15, 1,
		15, 1, 15, 1, 15, 1, 15, 1, 15, 3, 15, 316, 8, 15, 3, 15, 318, 8, 15, 1,
		15, 3, 15, 321, 8, 15, 5, 15, 323, 8, 15, 10, 15, 12, 15, 326, 9, 15, 1,
		15, 1, 15, 3, 15, 330, 8, 15, 1, 15, 1, 15, 1, 15, 1, 15, 1, 15, 1, 15,
		1, 15, 3, 15, 339, 8, 15, 5, 15, 341, 8, 15, 10, 15, 12, 15, 344, 9, 15,
		1, 15, 1, 15, 1, 16, 1, 16, 1, 16, 4, 16, 351, 8, 16, 11, 16, 12, 16, 352,
		1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 3, 16, 361, 8, 16, 1, 17, 3,
		17, 364, 8, 17, 1, 17, 1, 17, 1, 17, 3, 17, 369, 8, 17, 5, 17, 371, 8,
		17, 10, 17, 12, 17, 374, 9, 17, 1, 18, 1, 18, 1, 18, 3, 18, 379, 8, 18,
		1, 18, 1, 18, 1, 18, 1, 18, 1, 18, 3, 18, 386, 8, 18, 3, 18, 388, 8, 18,
		1, 18, 3, 18, 391, 8, 18, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 1,
		19, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 1, 19, 3, 19, 408,
		8, 19, 3, 19, 410, 8, 19, 3, 19, 412, 8, 19, 1, 20, 1, 20, 1, 20, 1, 20,
		1, 20, 3, 20, 419, 8, 20, 1, 21, 1, 21, 1, 21, 1, 21, 1, 21, 5, 21, 426,
		8, 21, 10, 21, 12, 21, 429, 9, 21, 1, 21, 1, 21, 1, 21, 1, 21, 1, 21, 5,
		21, 436, 8, 21, 10, 21, 12, 21, 439, 9, 21, 1, 21, 1, 21, 1, 21, 1, 21,
		1, 21, 5, 21, 446, 8, 21, 10, 21, 12, 21, 449, 9, 21, 1, 21, 1, 21, 3,
		21, 453, 8, 21, 1, 22, 1, 22, 1, 22, 1, 22, 1, 22, 5, 22, 460, 8, 22, 10,
		22, 12, 22, 463, 9, 22, 3, 22, 465, 8, 22, 1, 22, 1, 22, 1, 22, 1, 22,
		1, 22, 1, 22, 1, 22, 1, 22, 5, 22, 475, 8, 22, 10, 22, 12, 22, 478, 9,
		22, 3, 22, 480, 8, 22, 1, 22, 1, 22, 3, 22, 484, 8, 22, 1, 22, 1, 22, 1,
		22, 1, 22, 1, 22, 1, 22, 3, 22, 492, 8, 22, 3, 22, 494, 8, 22, 1, 23, 1,
		23, 1, 24, 1, 24, 1, 24, 1, 24, 1, 24, 1, 24, 1, 24, 3, 24, 505, 8, 24,
		1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 5, 25, 514, 8, 25, 10,
		25, 12, 25, 517, 9, 25, 3, 25, 519, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25,
		1, 25, 1, 25, 5, 25, 527, 8, 25, 10, 25, 12, 25, 530, 9, 25, 1, 25, 1,
		25, 1, 25, 5, 25, 535, 8, 25, 10, 25, 12, 25, 538, 9, 25, 5, 25, 540, 8,
		25, 10, 25, 12, 25, 543, 9, 25, 3, 25, 545, 8, 25, 1, 25, 1, 25, 3, 25,
		549, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 5, 25, 557, 8, 25,
		10, 25, 12, 25, 560, 9, 25, 3, 25, 562, 8, 25, 1, 25, 4, 25, 565, 8, 25,
		11, 25, 12, 25, 566, 3, 25, 569, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1,
		25, 3, 25, 576, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 3, 25,
		584, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 3, 25, 592, 8, 25,
		1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 3, 25, 599, 8, 25, 1, 25, 1, 25, 1,
		25, 1, 25, 1, 25, 3, 25, 606, 8, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25,
		1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 5, 25, 618, 8, 25, 10, 25, 12, 25, 621,
		9, 25, 1, 25, 4, 25, 624, 8, 25, 11, 25, 12, 25, 625, 3, 25, 628, 8, 25,
		1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 1, 25, 3, 25, 637, 8, 25, 1,
		25, 1, 25, 1, 25, 1, 25, 1, 25, 3, 25, 644, 8, 25, 3, 25, 646, 8, 25, 1,
		25, 1, 25, 1, 26, 1, 26, 1, 26, 1, 26, 3, 26, 654, 8, 26, 1, 26, 0, 0,
		27, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34,
		36, 38, 40, 42, 44, 46, 48, 50, 52, 0, 7, 3, 0, 3, 3, 16, 16, 20, 20, 4,
		0, 1, 3, 5, 5, 16, 20, 44, 44, 2, 0, 2, 2, 17, 17, 2, 0, 1, 1, 6, 6, 2,
		0, 18, 20, 22, 22, 4, 0, 3, 3, 16, 22, 24, 24, 43, 44, 1, 0, 47, 55, 728,
		0, 54, 1, 0, 0, 0, 2, 66, 1, 0, 0, 0, 4, 72, 1, 0, 0, 0, 6, 76, 1, 0, 0,
		0, 8, 82, 1, 0, 0, 0, 10, 90, 1, 0, 0, 0, 12, 107, 1, 0, 0, 0, 14, 110,
		1, 0, 0, 0, 16, 122, 1, 0, 0, 0, 18, 127, 1, 0, 0, 0, 20, 182, 1, 0, 0,
		0, 22, 191, 1, 0, 0, 0, 24, 231, 1, 0, 0, 0, 26, 243, 1, 0, 0, 0, 28, 246,
		1, 0, 0, 0, 30, 267, 1, 0, 0, 0, 32, 360, 1, 0, 0, 0, 34, 363, 1, 0, 0,
		0, 36, 390, 1, 0, 0, 0, 38, 411, 1, 0, 0, 0, 40, 418, 1, 0, 0, 0, 42, 452,
		1, 0, 0, 0, 44, 493, 1, 0, 0, 0, 46, 495, 1, 0, 0, 0, 48, 504, 1, 0, 0,
		0, 50, 506, 1, 0, 0, 0, 52, 653, 1, 0, 0, 0, 54, 56, 3, 14, 7, 0, 55, 57,
		3, 18, 9, 0, 56, 55, 1, 0, 0, 0, 56, 57, 1, 0, 0, 0, 57, 59, 1, 0, 0, 0,
		58, 60, 3, 22, 11, 0, 59, 58, 1, 0, 0, 0, 60, 61, 1, 0, 0, 0, 61, 59, 1,
		0, 0, 0, 61, 62, 1, 0, 0, 0, 62, 63, 1, 0, 0, 0, 63, 64, 5, 0, 0, 1, 64,
		1, 1, 0, 0, 0, 65, 67, 3, 22, 11, 0, 66, 65, 1, 0, 0, 0, 67, 68, 1, 0,
		0, 0, 68, 66, 1, 0, 0, 0, 68, 69, 1, 0, 0, 0, 69, 70, 1, 0, 0, 0, 70, 71,
		5, 0, 0, 1, 71, 3, 1, 0, 0, 0, 72, 73, 3, 30, 15, 0, 73, 74, 5, 0, 0, 1,
		74, 5, 1, 0, 0, 0, 75, 77, 3, 30, 15, 0, 76, 75, 1, 0, 0, 0, 77, 78, 1,
		0, 0, 0, 78, 76, 1, 0, 0, 0, 78, 79, 1, 0, 0, 0, 79, 80, 1, 0, 0, 0, 80,
		81, 5, 0, 0, 1, 81, 7, 1, 0, 0, 0, 82, 84, 6, 4, -1, 0, 83, 85, 3, 40,
		20, 0, 84, 83, 1, 0, 0, 0, 85, 86, 1, 0, 0, 0, 86, 84, 1, 0, 0, 0, 86,
		87, 1, 0, 0, 0, 87, 88, 1, 0, 0, 0, 88, 89, 5, 0, 0, 1, 89, 9, 1, 0, 0,
		0, 90, 91, 6, 5, -1, 0, 91, 92, 5, 26, 0, 0, 92, 100, 6, 5, -1, 0, 93,
		94, 5, 14, 0, 0, 94, 95, 6, 5, -1, 0, 95, 96, 7, 0, 0, 0, 96, 99, 6, 5,
		-1, 0, 97, 99, 5, 23, 0, 0, 98, 93, 1, 0, 0, 0, 98, 97, 1, 0, 0, 0, 99,
		102, 1, 0, 0, 0, 100, 98, 1, 0, 0, 0, 100, 101, 1, 0, 0, 0, 101, 103, 1,
		0, 0, 0, 102, 100, 1, 0, 0, 0, 103, 104, 5, 27, 0, 0, 104, 105, 6, 5, -1,
		0, 105, 106, 5, 0, 0, 1, 106, 11, 1, 0, 0, 0, 107, 108, 3, 44, 22, 0, 108,
		109, 5, 0, 0, 1, 109, 13, 1, 0, 0, 0, 110, 111, 5, 7, 0, 0, 111, 112, 5,
		16, 0, 0, 112, 117, 6, 7, -1, 0, 113, 114, 5, 23, 0, 0, 114, 116, 3, 16,
		8, 0, 115, 113, 1, 0, 0, 0, 116, 119, 1, 0, 0, 0, 117, 115, 1, 0, 0, 0,
		117, 118, 1, 0, 0, 0, 118, 120, 1, 0, 0, 0, 119, 117, 1, 0, 0, 0, 120,
		121, 6, 7, -1, 0, 121, 15, 1, 0, 0, 0, 122, 123, 5, 14, 0, 0, 123, 124,
		6, 8, -1, 0, 124, 125, 7, 1, 0, 0, 125, 126, 6, 8, -1, 0, 126, 17, 1, 0,
		0, 0, 127, 128, 5, 10, 0, 0, 128, 135, 6, 9, -1, 0, 129, 130, 5, 18, 0,
		0, 130, 131, 6, 9, -1, 0, 131, 132, 5, 20, 0, 0, 132, 134, 6, 9, -1, 0,
		133, 129, 1, 0, 0, 0, 134, 137, 1, 0, 0, 0, 135, 133, 1, 0, 0, 0, 135,
		136, 1, 0, 0, 0, 136, 138, 1, 0, 0, 0, 137, 135, 1, 0, 0, 0, 138, 145,
		5, 11, 0, 0, 139, 140, 5, 18, 0, 0, 140, 141, 6, 9, -1, 0, 141, 142, 5,
		20, 0, 0, 142, 144, 6, 9, -1, 0, 143, 139, 1, 0, 0, 0, 144, 147, 1, 0,
		0, 0, 145, 143, 1, 0, 0, 0, 145, 146, 1, 0, 0, 0, 146, 148, 1, 0, 0, 0,
		147, 145, 1, 0, 0, 0, 148, 162, 5, 12, 0, 0, 149, 150, 5, 18, 0, 0, 150,
		151, 6, 9, -1, 0, 151, 155, 5, 26, 0, 0, 152, 154, 3, 20, 10, 0, 153, 152,
		1, 0, 0, 0, 154, 157, 1, 0, 0, 0, 155, 153, 1, 0, 0, 0, 155, 156, 1, 0,
		0, 0, 156, 158, 1, 0, 0, 0, 157, 155, 1, 0, 0, 0, 158, 159, 5, 27, 0, 0,
		159, 161, 6, 9, -1, 0, 160, 149, 1, 0, 0, 0, 161, 164, 1, 0, 0, 0, 162,
		160, 1, 0, 0, 0, 162, 163, 1, 0, 0, 0, 163, 165, 1, 0, 0, 0, 164, 162,
		1, 0, 0, 0, 165, 179, 5, 13, 0, 0, 166, 167, 5, 18, 0, 0, 167, 168, 6,
		9, -1, 0, 168, 172, 5, 26, 0, 0, 169, 171, 3, 20, 10, 0, 170, 169, 1, 0,
		0, 0, 171, 174, 1, 0, 0, 0, 172, 170, 1, 0, 0, 0, 172, 173, 1, 0, 0, 0,
		173, 175, 1, 0, 0, 0, 174, 172, 1, 0, 0, 0, 175, 176, 5, 27, 0, 0, 176,
		178, 6, 9, -1, 0, 177, 166, 1, 0, 0, 0, 178, 181, 1, 0, 0, 0, 179, 177,
		1, 0, 0, 0, 179, 180, 1, 0, 0, 0, 180, 19, 1, 0, 0, 0, 181, 179, 1, 0,
		0, 0, 182, 183, 5, 14, 0, 0, 183, 184, 6, 10, -1, 0, 184, 185, 5, 18, 0,
		0, 185, 187, 6, 10, -1, 0, 186, 188, 5, 23, 0, 0, 187, 186, 1, 0, 0, 0,
		187, 188, 1, 0, 0, 0, 188, 21, 1, 0, 0, 0, 189, 190, 5, 8, 0, 0, 190, 192,
		6, 11, -1, 0, 191, 189, 1, 0, 0, 0, 191, 192, 1, 0, 0, 0, 192, 193, 1,
		0, 0, 0, 193, 194, 5, 16, 0, 0, 194, 212, 6, 11, -1, 0, 195, 196, 5, 28,
		0, 0, 196, 205, 6, 11, -1, 0, 197, 202, 3, 24, 12, 0, 198, 199, 5, 23,
		0, 0, 199, 201, 3, 24, 12, 0, 200, 198, 1, 0, 0, 0, 201, 204, 1, 0, 0,
		0, 202, 200, 1, 0, 0, 0, 202, 203, 1, 0, 0, 0, 203, 206, 1, 0, 0, 0, 204,
		202, 1, 0, 0, 0, 205, 197, 1, 0, 0, 0, 205, 206, 1, 0, 0, 0, 206, 207,
		1, 0, 0, 0, 207, 208, 5, 29, 0, 0, 208, 209, 5, 21, 0, 0, 209, 210, 3,
		26, 13, 0, 210, 211, 6, 11, -1, 0, 211, 213, 1, 0, 0, 0, 212, 195, 1, 0,
		0, 0, 212, 213, 1, 0, 0, 0, 213, 214, 1, 0, 0, 0, 214, 216, 5, 26, 0, 0,
		215, 217, 3, 30, 15, 0, 216, 215, 1, 0, 0, 0, 217, 218, 1, 0, 0, 0, 218,
		216, 1, 0, 0, 0, 218, 219, 1, 0, 0, 0, 219, 220, 1, 0, 0, 0, 220, 221,
		5, 27, 0, 0, 221, 226, 6, 11, -1, 0, 222, 223, 5, 23, 0, 0, 223, 225, 3,
		16, 8, 0, 224, 222, 1, 0, 0, 0, 225, 228, 1, 0, 0, 0, 226, 224, 1, 0, 0,
		0, 226, 227, 1, 0, 0, 0, 227, 229, 1, 0, 0, 0, 228, 226, 1, 0, 0, 0, 229,
		230, 6, 11, -1, 0, 230, 23, 1, 0, 0, 0, 231, 233, 5, 16, 0, 0, 232, 234,
		5, 24, 0, 0, 233, 232, 1, 0, 0, 0, 233, 234, 1, 0, 0, 0, 234, 235, 1, 0,
		0, 0, 235, 236, 3, 26, 13, 0, 236, 25, 1, 0, 0, 0, 237, 238, 5, 17, 0,
		0, 238, 244, 6, 13, -1, 0, 239, 240, 6, 13, -1, 0, 240, 241, 3, 28, 14,
		0, 241, 242, 6, 13, -1, 0, 242, 244, 1, 0, 0, 0, 243, 237, 1, 0, 0, 0,
		243, 239, 1, 0, 0, 0, 244, 27, 1, 0, 0, 0, 245, 247, 5, 16, 0, 0, 246,
		245, 1, 0, 0, 0, 246, 247, 1, 0, 0, 0, 247, 248, 1, 0, 0, 0, 248, 263,
		5, 28, 0, 0, 249, 252, 5, 17, 0, 0, 250, 252, 3, 28, 14, 0, 251, 249, 1,
		0, 0, 0, 251, 250, 1, 0, 0, 0, 252, 260, 1, 0, 0, 0, 253, 256, 5, 23, 0,
		0, 254, 257, 5, 17, 0, 0, 255, 257, 3, 28, 14, 0, 256, 254, 1, 0, 0, 0,
		256, 255, 1, 0, 0, 0, 257, 259, 1, 0, 0, 0, 258, 253, 1, 0, 0, 0, 259,
		262, 1, 0, 0, 0, 260, 258, 1, 0, 0, 0, 260, 261, 1, 0, 0, 0, 261, 264,
		1, 0, 0, 0, 262, 260, 1, 0, 0, 0, 263, 251, 1, 0, 0, 0, 263, 264, 1, 0,
		0, 0, 264, 265, 1, 0, 0, 0, 265, 266, 5, 29, 0, 0, 266, 29, 1, 0, 0, 0,
		267, 270, 6, 15, -1, 0, 268, 269, 5, 9, 0, 0, 269, 271, 6, 15, -1, 0, 270,
		268, 1, 0, 0, 0, 270, 271, 1, 0, 0, 0, 271, 272, 1, 0, 0, 0, 272, 273,
		5, 16, 0, 0, 273, 274, 6, 15, -1, 0, 274, 277, 5, 15, 0, 0, 275, 276, 7,
		2, 0, 0, 276, 278, 6, 15, -1, 0, 277, 275, 1, 0, 0, 0, 277, 278, 1, 0,
		0, 0, 278, 329, 1, 0, 0, 0, 279, 280, 5, 33, 0, 0, 280, 281, 6, 15, -1,
		0, 281, 282, 5, 4, 0, 0, 282, 330, 6, 15, -1, 0, 283, 284, 5, 34, 0, 0,
		284, 285, 6, 15, -1, 0, 285, 301, 5, 28, 0, 0, 286, 287, 5, 16, 0, 0, 287,
		289, 6, 15, -1, 0, 288, 290, 3, 32, 16, 0, 289, 288, 1, 0, 0, 0, 289, 290,
		1, 0, 0, 0, 290, 302, 1, 0, 0, 0, 291, 292, 5, 17, 0, 0, 292, 298, 6, 15,
		-1, 0, 293, 294, 5, 16, 0, 0, 294, 296, 6, 15, -1, 0, 295, 297, 3, 32,
		16, 0, 296, 295, 1, 0, 0, 0, 296, 297, 1, 0, 0, 0, 297, 299, 1, 0, 0, 0,
		298, 293, 1, 0, 0, 0, 298, 299, 1, 0, 0, 0, 299, 302, 1, 0, 0, 0, 300,
		302, 3, 38, 19, 0, 301, 286, 1, 0, 0, 0, 301, 291, 1, 0, 0, 0, 301, 300,
		1, 0, 0, 0, 301, 302, 1, 0, 0, 0, 302, 324, 1, 0, 0, 0, 303, 304, 5, 23,
		0, 0, 304, 320, 6, 15, -1, 0, 305, 306, 5, 16, 0, 0, 306, 308, 6, 15, -1,
		0, 307, 309, 3, 32, 16, 0, 308, 307, 1, 0, 0, 0, 308, 309, 1, 0, 0, 0,
		309, 321, 1, 0, 0, 0, 310, 311, 5, 17, 0, 0, 311, 317, 6, 15, -1, 0, 312,
		313, 5, 16, 0, 0, 313, 315, 6, 15, -1, 0, 314, 316, 3, 32, 16, 0, 315,
		314, 1, 0, 0, 0, 315, 316, 1, 0, 0, 0, 316, 318, 1, 0, 0, 0, 317, 312,
		1, 0, 0, 0, 317, 318, 1, 0, 0, 0, 318, 321, 1, 0, 0, 0, 319, 321, 3, 38,
		19, 0, 320, 305, 1, 0, 0, 0, 320, 310, 1, 0, 0, 0, 320, 319, 1, 0, 0, 0,
		320, 321, 1, 0, 0, 0, 321, 323, 1, 0, 0, 0, 322, 303, 1, 0, 0, 0, 323,
		326, 1, 0, 0, 0, 324, 322, 1, 0, 0, 0, 324, 325, 1, 0, 0, 0, 325, 327,
		1, 0, 0, 0, 326, 324, 1, 0, 0, 0, 327, 328, 5, 29, 0, 0, 328, 330, 6, 15,
		-1, 0, 329, 279, 1, 0, 0, 0, 329, 283, 1, 0, 0, 0, 330, 342, 1, 0, 0, 0,
		331, 332, 5, 23, 0, 0, 332, 333, 5, 14, 0, 0, 333, 334, 6, 15, -1, 0, 334,
		335, 7, 1, 0, 0, 335, 338, 6, 15, -1, 0, 336, 337, 7, 3, 0, 0, 337, 339,
		6, 15, -1, 0, 338, 336, 1, 0, 0, 0, 338, 339, 1, 0, 0, 0, 339, 341, 1,
		0, 0, 0, 340, 331, 1, 0, 0, 0, 341, 344, 1, 0, 0, 0, 342, 340, 1, 0, 0,
		0, 342, 343, 1, 0, 0, 0, 343, 345, 1, 0, 0, 0, 344, 342, 1, 0, 0, 0, 345,
		346, 6, 15, -1, 0, 346, 31, 1, 0, 0, 0, 347, 348, 5, 25, 0, 0, 348, 349,
		5, 18, 0, 0, 349, 351, 6, 16, -1, 0, 350, 347, 1, 0, 0, 0, 351, 352, 1,
		0, 0, 0, 352, 350, 1, 0, 0, 0, 352, 353, 1, 0, 0, 0, 353, 361, 1, 0, 0,
		0, 354, 355, 5, 28, 0, 0, 355, 356, 6, 16, -1, 0, 356, 357, 3, 34, 17,
		0, 357, 358, 5, 29, 0, 0, 358, 359, 6, 16, -1, 0, 359, 361, 1, 0, 0, 0,
		360, 350, 1, 0, 0, 0, 360, 354, 1, 0, 0, 0, 361, 33, 1, 0, 0, 0, 362, 364,
		3, 36, 18, 0, 363, 362, 1, 0, 0, 0, 363, 364, 1, 0, 0, 0, 364, 372, 1,
		0, 0, 0, 365, 366, 5, 23, 0, 0, 366, 368, 6, 17, -1, 0, 367, 369, 3, 36,
		18, 0, 368, 367, 1, 0, 0, 0, 368, 369, 1, 0, 0, 0, 369, 371, 1, 0, 0, 0,
		370, 365, 1, 0, 0, 0, 371, 374, 1, 0, 0, 0, 372, 370, 1, 0, 0, 0, 372,
		373, 1, 0, 0, 0, 373, 35, 1, 0, 0, 0, 374, 372, 1, 0, 0, 0, 375, 376, 5,
		16, 0, 0, 376, 378, 6, 18, -1, 0, 377, 379, 3, 32, 16, 0, 378, 377, 1,
		0, 0, 0, 378, 379, 1, 0, 0, 0, 379, 391, 1, 0, 0, 0, 380, 381, 5, 17, 0,
		0, 381, 387, 6, 18, -1, 0, 382, 383, 5, 16, 0, 0, 383, 385, 6, 18, -1,
		0, 384, 386, 3, 32, 16, 0, 385, 384, 1, 0, 0, 0, 385, 386, 1, 0, 0, 0,
		386, 388, 1, 0, 0, 0, 387, 382, 1, 0, 0, 0, 387, 388, 1, 0, 0, 0, 388,
		391, 1, 0, 0, 0, 389, 391, 3, 38, 19, 0, 390, 375, 1, 0, 0, 0, 390, 380,
		1, 0, 0, 0, 390, 389, 1, 0, 0, 0, 391, 37, 1, 0, 0, 0, 392, 393, 7, 4,
		0, 0, 393, 412, 6, 19, -1, 0, 394, 395, 5, 26, 0, 0, 395, 396, 3, 34, 17,
		0, 396, 397, 5, 27, 0, 0, 397, 398, 6, 19, -1, 0, 398, 412, 1, 0, 0, 0,
		399, 400, 5, 28, 0, 0, 400, 401, 6, 19, -1, 0, 401, 402, 3, 34, 17, 0,
		402, 403, 5, 29, 0, 0, 403, 409, 6, 19, -1, 0, 404, 405, 5, 16, 0, 0, 405,
		407, 6, 19, -1, 0, 406, 408, 3, 32, 16, 0, 407, 406, 1, 0, 0, 0, 407, 408,
		1, 0, 0, 0, 408, 410, 1, 0, 0, 0, 409, 404, 1, 0, 0, 0, 409, 410, 1, 0,
		0, 0, 410, 412, 1, 0, 0, 0, 411, 392, 1, 0, 0, 0, 411, 394, 1, 0, 0, 0,
		411, 399, 1, 0, 0, 0, 412, 39, 1, 0, 0, 0, 413, 419, 5, 23, 0, 0, 414,
		419, 3, 42, 21, 0, 415, 416, 5, 14, 0, 0, 416, 417, 6, 20, -1, 0, 417,
		419, 3, 42, 21, 0, 418, 413, 1, 0, 0, 0, 418, 414, 1, 0, 0, 0, 418, 415,
		1, 0, 0, 0, 419, 41, 1, 0, 0, 0, 420, 421, 7, 5, 0, 0, 421, 453, 6, 21,
		-1, 0, 422, 423, 5, 26, 0, 0, 423, 427, 6, 21, -1, 0, 424, 426, 3, 40,
		20, 0, 425, 424, 1, 0, 0, 0, 426, 429, 1, 0, 0, 0, 427, 425, 1, 0, 0, 0,
		427, 428, 1, 0, 0, 0, 428, 430, 1, 0, 0, 0, 429, 427, 1, 0, 0, 0, 430,
		431, 5, 27, 0, 0, 431, 453, 6, 21, -1, 0, 432, 433, 5, 28, 0, 0, 433, 437,
		6, 21, -1, 0, 434, 436, 3, 40, 20, 0, 435, 434, 1, 0, 0, 0, 436, 439, 1,
		0, 0, 0, 437, 435, 1, 0, 0, 0, 437, 438, 1, 0, 0, 0, 438, 440, 1, 0, 0,
		0, 439, 437, 1, 0, 0, 0, 440, 441, 5, 29, 0, 0, 441, 453, 6, 21, -1, 0,
		442, 443, 5, 41, 0, 0, 443, 447, 6, 21, -1, 0, 444, 446, 3, 40, 20, 0,
		445, 444, 1, 0, 0, 0, 446, 449, 1, 0, 0, 0, 447, 445, 1, 0, 0, 0, 447,
		448, 1, 0, 0, 0, 448, 450, 1, 0, 0, 0, 449, 447, 1, 0, 0, 0, 450, 451,
		5, 42, 0, 0, 451, 453, 6, 21, -1, 0, 452, 420, 1, 0, 0, 0, 452, 422, 1,
		0, 0, 0, 452, 432, 1, 0, 0, 0, 452, 442, 1, 0, 0, 0, 453, 43, 1, 0, 0,
		0, 454, 455, 5, 28, 0, 0, 455, 464, 6, 22, -1, 0, 456, 461, 3, 44, 22,
		0, 457, 458, 5, 23, 0, 0, 458, 460, 3, 44, 22, 0, 459, 457, 1, 0, 0, 0,
		460, 463, 1, 0, 0, 0, 461, 459, 1, 0, 0, 0, 461, 462, 1, 0, 0, 0, 462,
		465, 1, 0, 0, 0, 463, 461, 1, 0, 0, 0, 464, 456, 1, 0, 0, 0, 464, 465,
		1, 0, 0, 0, 465, 466, 1, 0, 0, 0, 466, 467, 5, 29, 0, 0, 467, 494, 6, 22,
		-1, 0, 468, 469, 3, 46, 23, 0, 469, 491, 6, 22, -1, 0, 470, 479, 5, 41,
		0, 0, 471, 476, 3, 48, 24, 0, 472, 473, 5, 23, 0, 0, 473, 475, 3, 48, 24,
		0, 474, 472, 1, 0, 0, 0, 475, 478, 1, 0, 0, 0, 476, 474, 1, 0, 0, 0, 476,
		477, 1, 0, 0, 0, 477, 480, 1, 0, 0, 0, 478, 476, 1, 0, 0, 0, 479, 471,
		1, 0, 0, 0, 479, 480, 1, 0, 0, 0, 480, 481, 1, 0, 0, 0, 481, 483, 5, 42,
		0, 0, 482, 484, 3, 50, 25, 0, 483, 482, 1, 0, 0, 0, 483, 484, 1, 0, 0,
		0, 484, 485, 1, 0, 0, 0, 485, 492, 6, 22, -1, 0, 486, 487, 5, 28, 0, 0,
		487, 488, 3, 44, 22, 0, 488, 489, 5, 29, 0, 0, 489, 490, 6, 22, -1, 0,
		490, 492, 1, 0, 0, 0, 491, 470, 1, 0, 0, 0, 491, 486, 1, 0, 0, 0, 492,
		494, 1, 0, 0, 0, 493, 454, 1, 0, 0, 0, 493, 468, 1, 0, 0, 0, 494, 45, 1,
		0, 0, 0, 495, 496, 7, 6, 0, 0, 496, 47, 1, 0, 0, 0, 497, 498, 5, 18, 0,
		0, 498, 505, 6, 24, -1, 0, 499, 500, 5, 57, 0, 0, 500, 501, 5, 18, 0, 0,
		501, 505, 6, 24, -1, 0, 502, 503, 5, 58, 0, 0, 503, 505, 6, 24, -1, 0,
		504, 497, 1, 0, 0, 0, 504, 499, 1, 0, 0, 0, 504, 502, 1, 0, 0, 0, 505,
		49, 1, 0, 0, 0, 506, 507, 5, 26, 0, 0, 507, 518, 6, 25, -1, 0, 508, 509,
		5, 18, 0, 0, 509, 515, 6, 25, -1, 0, 510, 511, 5, 23, 0, 0, 511, 512, 5,
		18, 0, 0, 512, 514, 6, 25, -1, 0, 513, 510, 1, 0, 0, 0, 514, 517, 1, 0,
		0, 0, 515, 513, 1, 0, 0, 0, 515, 516, 1, 0, 0, 0, 516, 519, 1, 0, 0, 0,
		517, 515, 1, 0, 0, 0, 518, 508, 1, 0, 0, 0, 518, 519, 1, 0, 0, 0, 519,
		645, 1, 0, 0, 0, 520, 548, 5, 24, 0, 0, 521, 522, 5, 47, 0, 0, 522, 523,
		5, 28, 0, 0, 523, 544, 6, 25, -1, 0, 524, 528, 3, 46, 23, 0, 525, 527,
		5, 59, 0, 0, 526, 525, 1, 0, 0, 0, 527, 530, 1, 0, 0, 0, 528, 526, 1, 0,
		0, 0, 528, 529, 1, 0, 0, 0, 529, 541, 1, 0, 0, 0, 530, 528, 1, 0, 0, 0,
		531, 532, 5, 23, 0, 0, 532, 536, 3, 46, 23, 0, 533, 535, 5, 59, 0, 0, 534,
		533, 1, 0, 0, 0, 535, 538, 1, 0, 0, 0, 536, 534, 1, 0, 0, 0, 536, 537,
		1, 0, 0, 0, 537, 540, 1, 0, 0, 0, 538, 536, 1, 0, 0, 0, 539, 531, 1, 0,
		0, 0, 540, 543, 1, 0, 0, 0, 541, 539, 1, 0, 0, 0, 541, 542, 1, 0, 0, 0,
		542, 545, 1, 0, 0, 0, 543, 541, 1, 0, 0, 0, 544, 524, 1, 0, 0, 0, 544,
		545, 1, 0, 0, 0, 545, 546, 1, 0, 0, 0, 546, 547, 5, 29, 0, 0, 547, 549,
		6, 25, -1, 0, 548, 521, 1, 0, 0, 0, 548, 549, 1, 0, 0, 0, 549, 568, 1,
		0, 0, 0, 550, 564, 5, 48, 0, 0, 551, 552, 5, 28, 0, 0, 552, 561, 6, 25,
		-1, 0, 553, 558, 3, 52, 26, 0, 554, 555, 5, 23, 0, 0, 555, 557, 3, 52,
		26, 0, 556, 554, 1, 0, 0, 0, 557, 560, 1, 0, 0, 0, 558, 556, 1, 0, 0, 0,
		558, 559, 1, 0, 0, 0, 559, 562, 1, 0, 0, 0, 560, 558, 1, 0, 0, 0, 561,
		553, 1, 0, 0, 0, 561, 562, 1, 0, 0, 0, 562, 563, 1, 0, 0, 0, 563, 565,
		5, 29, 0, 0, 564, 551, 1, 0, 0, 0, 565, 566, 1, 0, 0, 0, 566, 564, 1, 0,
		0, 0, 566, 567, 1, 0, 0, 0, 567, 569, 1, 0, 0, 0, 568, 550, 1, 0, 0, 0,
		568, 569, 1, 0, 0, 0, 569, 575, 1, 0, 0, 0, 570, 571, 5, 49, 0, 0, 571,
		572, 5, 28, 0, 0, 572, 573, 5, 18, 0, 0, 573, 574, 6, 25, -1, 0, 574, 576,
		5, 29, 0, 0, 575, 570, 1, 0, 0, 0, 575, 576, 1, 0, 0, 0, 576, 583, 1, 0,
		0, 0, 577, 578, 5, 25, 0, 0, 578, 579, 5, 28, 0, 0, 579, 580, 3, 46, 23,
		0, 580, 581, 6, 25, -1, 0, 581, 582, 5, 29, 0, 0, 582, 584, 1, 0, 0, 0,
		583, 577, 1, 0, 0, 0, 583, 584, 1, 0, 0, 0, 584, 591, 1, 0, 0, 0, 585,
		586, 5, 56, 0, 0, 586, 587, 5, 28, 0, 0, 587, 588, 3, 46, 23, 0, 588, 589,
		6, 25, -1, 0, 589, 590, 5, 29, 0, 0, 590, 592, 1, 0, 0, 0, 591, 585, 1,
		0, 0, 0, 591, 592, 1, 0, 0, 0, 592, 598, 1, 0, 0, 0, 593, 594, 5, 50, 0,
		0, 594, 595, 5, 28, 0, 0, 595, 596, 5, 18, 0, 0, 596, 597, 6, 25, -1, 0,
		597, 599, 5, 29, 0, 0, 598, 593, 1, 0, 0, 0, 598, 599, 1, 0, 0, 0, 599,
		605, 1, 0, 0, 0, 600, 601, 5, 51, 0, 0, 601, 602, 5, 28, 0, 0, 602, 603,
		5, 18, 0, 0, 603, 604, 6, 25, -1, 0, 604, 606, 5, 29, 0, 0, 605, 600, 1,
		0, 0, 0, 605, 606, 1, 0, 0, 0, 606, 627, 1, 0, 0, 0, 607, 623, 5, 52, 0,
		0, 608, 609, 5, 28, 0, 0, 609, 610, 5, 18, 0, 0, 610, 611, 6, 25, -1, 0,
		611, 612, 5, 24, 0, 0, 612, 613, 5, 18, 0, 0, 613, 619, 6, 25, -1, 0, 614,
		615, 5, 23, 0, 0, 615, 616, 5, 18, 0, 0, 616, 618, 6, 25, -1, 0, 617, 614,
		1, 0, 0, 0, 618, 621, 1, 0, 0, 0, 619, 617, 1, 0, 0, 0, 619, 620, 1, 0,
		0, 0, 620, 622, 1, 0, 0, 0, 621, 619, 1, 0, 0, 0, 622, 624, 5, 29, 0, 0,
		623, 608, 1, 0, 0, 0, 624, 625, 1, 0, 0, 0, 625, 623, 1, 0, 0, 0, 625,
		626, 1, 0, 0, 0, 626, 628, 1, 0, 0, 0, 627, 607, 1, 0, 0, 0, 627, 628,
		1, 0, 0, 0, 628, 636, 1, 0, 0, 0, 629, 630, 5, 53, 0, 0, 630, 631, 5, 28,
		0, 0, 631, 632, 6, 25, -1, 0, 632, 633, 3, 44, 22, 0, 633, 634, 5, 29,
		0, 0, 634, 635, 6, 25, -1, 0, 635, 637, 1, 0, 0, 0, 636, 629, 1, 0, 0,
		0, 636, 637, 1, 0, 0, 0, 637, 643, 1, 0, 0, 0, 638, 639, 5, 54, 0, 0, 639,
		640, 5, 28, 0, 0, 640, 641, 5, 18, 0, 0, 641, 642, 6, 25, -1, 0, 642, 644,
		5, 29, 0, 0, 643, 638, 1, 0, 0, 0, 643, 644, 1, 0, 0, 0, 644, 646, 1, 0,
		0, 0, 645, 520, 1, 0, 0, 0, 645, 646, 1, 0, 0, 0, 646, 647, 1, 0, 0, 0,
		647, 648, 5, 27, 0, 0, 648, 51, 1, 0, 0, 0, 649, 650, 5, 18, 0, 0, 650,
		654, 6, 26, -1, 0, 651, 652, 5, 56, 0, 0, 652, 654, 6, 26, -1, 0, 653,
		649, 1, 0, 0, 0, 653, 651, 1, 0, 0, 0, 654, 53, 1, 0, 0, 0, 90, 56, 61,
		68, 78, 86, 98, 100, 117, 135, 145, 155, 162, 172, 179, 187, 191, 202,
		205, 212, 218, 226, 233, 243, 246, 251, 256, 260, 263, 270, 277, 289, 296,
		298, 301, 308, 315, 317, 320, 324, 329, 338, 342, 352, 360, 363, 368, 372,
		378, 385, 387, 390, 407, 409, 411, 418, 427, 437, 447, 452, 461, 464, 476,
		479, 483, 491, 493, 504, 515, 518, 528, 536, 541, 544, 548, 558, 561, 566,
		568, 575, 583, 591, 598, 605, 619, 625, 627, 636, 643, 645, 653,
	}
	deserializer := antlr.NewATNDeserializer(nil)
	staticData.atn = deserializer.Deserialize(staticData.serializedATN)
	atn := staticData.atn
	staticData.decisionToDFA = make([]*antlr.DFA, len(atn.DecisionToState))
	decisionToDFA := staticData.decisionToDFA
	for index, state := range atn.DecisionToState {
		decisionToDFA[index] = antlr.NewDFA(state, index)
	}
}

// HLOParserInit initializes any static state used to implement HLOParser. By default the
// static state used to implement the parser is lazily initialized during the first call to
// NewHLOParser(). You can call this function if you wish to initialize the static state ahead
// of time.
func HLOParserInit() {
	staticData := &HLOParserParserStaticData
	staticData.once.Do(hloparserParserInit)
}

// NewHLOParser produces a new parser instance for the optional input antlr.TokenStream.
func NewHLOParser(input antlr.TokenStream) *HLOParser {
	HLOParserInit()
	this := new(HLOParser)
	this.BaseParser = antlr.NewBaseParser(input)
	staticData := &HLOParserParserStaticData
	this.Interpreter = antlr.NewParserATNSimulator(this, staticData.atn, staticData.decisionToDFA, staticData.PredictionContextCache)
	this.RuleNames = staticData.RuleNames
	this.LiteralNames = staticData.LiteralNames
	this.SymbolicNames = staticData.SymbolicNames
	this.GrammarFileName = "HLOParser.g4"

	return this
}

// HLOParser tokens.
const (
	HLOParserEOF             = antlr.TokenEOF
	HLOParserBRACED          = 1
	HLOParserTUPLE           = 2
	HLOParserJSON            = 3
	HLOParserLITERAL         = 4
	HLOParserBRACKETED       = 5
	HLOParserSCALAR          = 6
	HLOParserHLOMODULE       = 7
	HLOParserENTRY           = 8
	HLOParserROOT            = 9
	HLOParserFILE_NAMES      = 10
	HLOParserFUNCTION_NAMES  = 11
	HLOParserFILE_LOCATIONS  = 12
	HLOParserSTACK_FRAMES    = 13
	HLOParserATTR            = 14
	HLOParserEQ              = 15
	HLOParserNAME            = 16
	HLOParserSHAPE           = 17
	HLOParserINT             = 18
	HLOParserFLOAT           = 19
	HLOParserSTRING          = 20
	HLOParserARROW           = 21
	HLOParserELLIPSIS        = 22
	HLOParserCOMMA           = 23
	HLOParserCOLON           = 24
	HLOParserHASH            = 25
	HLOParserLBRACE          = 26
	HLOParserRBRACE          = 27
	HLOParserLPAREN          = 28
	HLOParserRPAREN          = 29
	HLOParserSPACE           = 30
	HLOParserR_SPACE         = 31
	HLOParserO_SPACE         = 32
	HLOParserCONSTANT        = 33
	HLOParserOPCODE          = 34
	HLOParserV_SPACE         = 35
	HLOParserLV_SPACE        = 36
	HLOParserLB_SPACE        = 37
	HLOParserJV_SPACE        = 38
	HLOParserFV_SPACE        = 39
	HLOParserF_SPACE         = 40
	HLOParserLBRACK          = 41
	HLOParserRBRACK          = 42
	HLOParserPUNCT           = 43
	HLOParserPATTERN         = 44
	HLOParserFE_SPACE        = 45
	HLOParserL_SPACE         = 46
	HLOParserDIM_TYPES       = 47
	HLOParserTILES           = 48
	HLOParserTAIL            = 49
	HLOParserELEMENT_BITS    = 50
	HLOParserMEMORY_SPACE    = 51
	HLOParserSPLITS          = 52
	HLOParserPHYSICAL        = 53
	HLOParserMETADATA_PREFIX = 54
	HLOParserTYPE            = 55
	HLOParserSTAR            = 56
	HLOParserBOUND           = 57
	HLOParserUNBOUNDED       = 58
	HLOParserMARK            = 59
)

// HLOParser rules.
const (
	HLOParserRULE_module       = 0
	HLOParserRULE_headerless   = 1
	HLOParserRULE_single       = 2
	HLOParserRULE_body         = 3
	HLOParserRULE_valueText    = 4
	HLOParserRULE_frontendText = 5
	HLOParserRULE_shapeText    = 6
	HLOParserRULE_header       = 7
	HLOParserRULE_attr         = 8
	HLOParserRULE_tables       = 9
	HLOParserRULE_field        = 10
	HLOParserRULE_computation  = 11
	HLOParserRULE_parameter    = 12
	HLOParserRULE_resultShape  = 13
	HLOParserRULE_tupleShape   = 14
	HLOParserRULE_instruction  = 15
	HLOParserRULE_operandTail  = 16
	HLOParserRULE_operands     = 17
	HLOParserRULE_operand      = 18
	HLOParserRULE_rareOperand  = 19
	HLOParserRULE_item         = 20
	HLOParserRULE_atom         = 21
	HLOParserRULE_shape        = 22
	HLOParserRULE_typeName     = 23
	HLOParserRULE_dimension    = 24
	HLOParserRULE_layout       = 25
	HLOParserRULE_tileDim      = 26
)

// IModuleContext is an interface to support dynamic dispatch.
type IModuleContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	Header() IHeaderContext
	EOF() antlr.TerminalNode
	Tables() ITablesContext
	AllComputation() []IComputationContext
	Computation(i int) IComputationContext

	// IsModuleContext differentiates from other interfaces.
	IsModuleContext()
}

type ModuleContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyModuleContext() *ModuleContext {
	var p = new(ModuleContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_module
	return p
}

func InitEmptyModuleContext(p *ModuleContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_module
}

func (*ModuleContext) IsModuleContext() {}

func NewModuleContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ModuleContext {
	var p = new(ModuleContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_module

	return p
}

func (s *ModuleContext) GetParser() antlr.Parser { return s.parser }

func (s *ModuleContext) Header() IHeaderContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IHeaderContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IHeaderContext)
}

func (s *ModuleContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *ModuleContext) Tables() ITablesContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITablesContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITablesContext)
}

func (s *ModuleContext) AllComputation() []IComputationContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IComputationContext); ok {
			len++
		}
	}

	tst := make([]IComputationContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IComputationContext); ok {
			tst[i] = t.(IComputationContext)
			i++
		}
	}

	return tst
}

func (s *ModuleContext) Computation(i int) IComputationContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IComputationContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IComputationContext)
}

func (s *ModuleContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ModuleContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Module() (localctx IModuleContext) {
	localctx = NewModuleContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 0, HLOParserRULE_module)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(54)
		p.Header()
	}
	p.SetState(56)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserFILE_NAMES {
		{
			p.SetState(55)
			p.Tables()
		}

	}
	p.SetState(59)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for ok := true; ok; ok = _la == HLOParserENTRY || _la == HLOParserNAME {
		{
			p.SetState(58)
			p.Computation()
		}

		p.SetState(61)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(63)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IHeaderlessContext is an interface to support dynamic dispatch.
type IHeaderlessContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	EOF() antlr.TerminalNode
	AllComputation() []IComputationContext
	Computation(i int) IComputationContext

	// IsHeaderlessContext differentiates from other interfaces.
	IsHeaderlessContext()
}

type HeaderlessContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyHeaderlessContext() *HeaderlessContext {
	var p = new(HeaderlessContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_headerless
	return p
}

func InitEmptyHeaderlessContext(p *HeaderlessContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_headerless
}

func (*HeaderlessContext) IsHeaderlessContext() {}

func NewHeaderlessContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *HeaderlessContext {
	var p = new(HeaderlessContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_headerless

	return p
}

func (s *HeaderlessContext) GetParser() antlr.Parser { return s.parser }

func (s *HeaderlessContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *HeaderlessContext) AllComputation() []IComputationContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IComputationContext); ok {
			len++
		}
	}

	tst := make([]IComputationContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IComputationContext); ok {
			tst[i] = t.(IComputationContext)
			i++
		}
	}

	return tst
}

func (s *HeaderlessContext) Computation(i int) IComputationContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IComputationContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IComputationContext)
}

func (s *HeaderlessContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *HeaderlessContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Headerless() (localctx IHeaderlessContext) {
	localctx = NewHeaderlessContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 2, HLOParserRULE_headerless)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.SetState(66)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for ok := true; ok; ok = _la == HLOParserENTRY || _la == HLOParserNAME {
		{
			p.SetState(65)
			p.Computation()
		}

		p.SetState(68)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(70)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ISingleContext is an interface to support dynamic dispatch.
type ISingleContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	Instruction() IInstructionContext
	EOF() antlr.TerminalNode

	// IsSingleContext differentiates from other interfaces.
	IsSingleContext()
}

type SingleContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptySingleContext() *SingleContext {
	var p = new(SingleContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_single
	return p
}

func InitEmptySingleContext(p *SingleContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_single
}

func (*SingleContext) IsSingleContext() {}

func NewSingleContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *SingleContext {
	var p = new(SingleContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_single

	return p
}

func (s *SingleContext) GetParser() antlr.Parser { return s.parser }

func (s *SingleContext) Instruction() IInstructionContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IInstructionContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IInstructionContext)
}

func (s *SingleContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *SingleContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *SingleContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Single() (localctx ISingleContext) {
	localctx = NewSingleContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 4, HLOParserRULE_single)
	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(72)
		p.Instruction()
	}
	{
		p.SetState(73)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IBodyContext is an interface to support dynamic dispatch.
type IBodyContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	EOF() antlr.TerminalNode
	AllInstruction() []IInstructionContext
	Instruction(i int) IInstructionContext

	// IsBodyContext differentiates from other interfaces.
	IsBodyContext()
}

type BodyContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyBodyContext() *BodyContext {
	var p = new(BodyContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_body
	return p
}

func InitEmptyBodyContext(p *BodyContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_body
}

func (*BodyContext) IsBodyContext() {}

func NewBodyContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *BodyContext {
	var p = new(BodyContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_body

	return p
}

func (s *BodyContext) GetParser() antlr.Parser { return s.parser }

func (s *BodyContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *BodyContext) AllInstruction() []IInstructionContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IInstructionContext); ok {
			len++
		}
	}

	tst := make([]IInstructionContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IInstructionContext); ok {
			tst[i] = t.(IInstructionContext)
			i++
		}
	}

	return tst
}

func (s *BodyContext) Instruction(i int) IInstructionContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IInstructionContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IInstructionContext)
}

func (s *BodyContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *BodyContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Body() (localctx IBodyContext) {
	localctx = NewBodyContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 6, HLOParserRULE_body)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.SetState(76)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for ok := true; ok; ok = _la == HLOParserROOT || _la == HLOParserNAME {
		{
			p.SetState(75)
			p.Instruction()
		}

		p.SetState(78)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(80)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IValueTextContext is an interface to support dynamic dispatch.
type IValueTextContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	EOF() antlr.TerminalNode
	AllItem() []IItemContext
	Item(i int) IItemContext

	// IsValueTextContext differentiates from other interfaces.
	IsValueTextContext()
}

type ValueTextContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyValueTextContext() *ValueTextContext {
	var p = new(ValueTextContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_valueText
	return p
}

func InitEmptyValueTextContext(p *ValueTextContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_valueText
}

func (*ValueTextContext) IsValueTextContext() {}

func NewValueTextContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ValueTextContext {
	var p = new(ValueTextContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_valueText

	return p
}

func (s *ValueTextContext) GetParser() antlr.Parser { return s.parser }

func (s *ValueTextContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *ValueTextContext) AllItem() []IItemContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IItemContext); ok {
			len++
		}
	}

	tst := make([]IItemContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IItemContext); ok {
			tst[i] = t.(IItemContext)
			i++
		}
	}

	return tst
}

func (s *ValueTextContext) Item(i int) IItemContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IItemContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IItemContext)
}

func (s *ValueTextContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ValueTextContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) ValueText() (localctx IValueTextContext) {
	localctx = NewValueTextContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 8, HLOParserRULE_valueText)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.B.ValueBegin()
	p.SetState(84)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for ok := true; ok; ok = ((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&28587671371784) != 0) {
		{
			p.SetState(83)
			p.Item()
		}

		p.SetState(86)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(88)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IFrontendTextContext is an interface to support dynamic dispatch.
type IFrontendTextContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	LBRACE() antlr.TerminalNode
	RBRACE() antlr.TerminalNode
	EOF() antlr.TerminalNode
	AllATTR() []antlr.TerminalNode
	ATTR(i int) antlr.TerminalNode
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	AllSTRING() []antlr.TerminalNode
	STRING(i int) antlr.TerminalNode
	AllJSON() []antlr.TerminalNode
	JSON(i int) antlr.TerminalNode
	AllNAME() []antlr.TerminalNode
	NAME(i int) antlr.TerminalNode

	// IsFrontendTextContext differentiates from other interfaces.
	IsFrontendTextContext()
}

type FrontendTextContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyFrontendTextContext() *FrontendTextContext {
	var p = new(FrontendTextContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_frontendText
	return p
}

func InitEmptyFrontendTextContext(p *FrontendTextContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_frontendText
}

func (*FrontendTextContext) IsFrontendTextContext() {}

func NewFrontendTextContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *FrontendTextContext {
	var p = new(FrontendTextContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_frontendText

	return p
}

func (s *FrontendTextContext) GetParser() antlr.Parser { return s.parser }

func (s *FrontendTextContext) LBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, 0)
}

func (s *FrontendTextContext) RBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, 0)
}

func (s *FrontendTextContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *FrontendTextContext) AllATTR() []antlr.TerminalNode {
	return s.GetTokens(HLOParserATTR)
}

func (s *FrontendTextContext) ATTR(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserATTR, i)
}

func (s *FrontendTextContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *FrontendTextContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *FrontendTextContext) AllSTRING() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSTRING)
}

func (s *FrontendTextContext) STRING(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, i)
}

func (s *FrontendTextContext) AllJSON() []antlr.TerminalNode {
	return s.GetTokens(HLOParserJSON)
}

func (s *FrontendTextContext) JSON(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserJSON, i)
}

func (s *FrontendTextContext) AllNAME() []antlr.TerminalNode {
	return s.GetTokens(HLOParserNAME)
}

func (s *FrontendTextContext) NAME(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, i)
}

func (s *FrontendTextContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *FrontendTextContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) FrontendText() (localctx IFrontendTextContext) {
	localctx = NewFrontendTextContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 10, HLOParserRULE_frontendText)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.B.ValueBegin()
	{
		p.SetState(91)
		p.Match(HLOParserLBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Open(p.T())
	p.SetState(100)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserATTR || _la == HLOParserCOMMA {
		p.SetState(98)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}

		switch p.GetTokenStream().LA(1) {
		case HLOParserATTR:
			{
				p.SetState(93)
				p.Match(HLOParserATTR)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.PairKey(p.T())
			{
				p.SetState(95)
				_la = p.GetTokenStream().LA(1)

				if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&1114120) != 0) {
					p.GetErrorHandler().RecoverInline(p)
				} else {
					p.GetErrorHandler().ReportMatch(p)
					p.Consume()
				}
			}
			p.B.Atom(p.Type(), p.T())

		case HLOParserCOMMA:
			{
				p.SetState(97)
				p.Match(HLOParserCOMMA)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		default:
			p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
			goto errorExit
		}

		p.SetState(102)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(103)
		p.Match(HLOParserRBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Close(p.T())
	{
		p.SetState(105)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IShapeTextContext is an interface to support dynamic dispatch.
type IShapeTextContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	Shape() IShapeContext
	EOF() antlr.TerminalNode

	// IsShapeTextContext differentiates from other interfaces.
	IsShapeTextContext()
}

type ShapeTextContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyShapeTextContext() *ShapeTextContext {
	var p = new(ShapeTextContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_shapeText
	return p
}

func InitEmptyShapeTextContext(p *ShapeTextContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_shapeText
}

func (*ShapeTextContext) IsShapeTextContext() {}

func NewShapeTextContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ShapeTextContext {
	var p = new(ShapeTextContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_shapeText

	return p
}

func (s *ShapeTextContext) GetParser() antlr.Parser { return s.parser }

func (s *ShapeTextContext) Shape() IShapeContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IShapeContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IShapeContext)
}

func (s *ShapeTextContext) EOF() antlr.TerminalNode {
	return s.GetToken(HLOParserEOF, 0)
}

func (s *ShapeTextContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ShapeTextContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) ShapeText() (localctx IShapeTextContext) {
	localctx = NewShapeTextContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 12, HLOParserRULE_shapeText)
	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(107)
		p.Shape()
	}
	{
		p.SetState(108)
		p.Match(HLOParserEOF)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IHeaderContext is an interface to support dynamic dispatch.
type IHeaderContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	HLOMODULE() antlr.TerminalNode
	NAME() antlr.TerminalNode
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	AllAttr() []IAttrContext
	Attr(i int) IAttrContext

	// IsHeaderContext differentiates from other interfaces.
	IsHeaderContext()
}

type HeaderContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyHeaderContext() *HeaderContext {
	var p = new(HeaderContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_header
	return p
}

func InitEmptyHeaderContext(p *HeaderContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_header
}

func (*HeaderContext) IsHeaderContext() {}

func NewHeaderContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *HeaderContext {
	var p = new(HeaderContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_header

	return p
}

func (s *HeaderContext) GetParser() antlr.Parser { return s.parser }

func (s *HeaderContext) HLOMODULE() antlr.TerminalNode {
	return s.GetToken(HLOParserHLOMODULE, 0)
}

func (s *HeaderContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *HeaderContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *HeaderContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *HeaderContext) AllAttr() []IAttrContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IAttrContext); ok {
			len++
		}
	}

	tst := make([]IAttrContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IAttrContext); ok {
			tst[i] = t.(IAttrContext)
			i++
		}
	}

	return tst
}

func (s *HeaderContext) Attr(i int) IAttrContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IAttrContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IAttrContext)
}

func (s *HeaderContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *HeaderContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Header() (localctx IHeaderContext) {
	localctx = NewHeaderContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 14, HLOParserRULE_header)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(110)
		p.Match(HLOParserHLOMODULE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	{
		p.SetState(111)
		p.Match(HLOParserNAME)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.ModuleName(p.T())
	p.SetState(117)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserCOMMA {
		{
			p.SetState(113)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(114)
			p.Attr()
		}

		p.SetState(119)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	p.B.HeaderEnd()

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IAttrContext is an interface to support dynamic dispatch.
type IAttrContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	ATTR() antlr.TerminalNode
	BRACED() antlr.TerminalNode
	NAME() antlr.TerminalNode
	STRING() antlr.TerminalNode
	INT() antlr.TerminalNode
	FLOAT() antlr.TerminalNode
	PATTERN() antlr.TerminalNode
	JSON() antlr.TerminalNode
	BRACKETED() antlr.TerminalNode
	SHAPE() antlr.TerminalNode
	TUPLE() antlr.TerminalNode

	// IsAttrContext differentiates from other interfaces.
	IsAttrContext()
}

type AttrContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyAttrContext() *AttrContext {
	var p = new(AttrContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_attr
	return p
}

func InitEmptyAttrContext(p *AttrContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_attr
}

func (*AttrContext) IsAttrContext() {}

func NewAttrContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *AttrContext {
	var p = new(AttrContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_attr

	return p
}

func (s *AttrContext) GetParser() antlr.Parser { return s.parser }

func (s *AttrContext) ATTR() antlr.TerminalNode {
	return s.GetToken(HLOParserATTR, 0)
}

func (s *AttrContext) BRACED() antlr.TerminalNode {
	return s.GetToken(HLOParserBRACED, 0)
}

func (s *AttrContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *AttrContext) STRING() antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, 0)
}

func (s *AttrContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *AttrContext) FLOAT() antlr.TerminalNode {
	return s.GetToken(HLOParserFLOAT, 0)
}

func (s *AttrContext) PATTERN() antlr.TerminalNode {
	return s.GetToken(HLOParserPATTERN, 0)
}

func (s *AttrContext) JSON() antlr.TerminalNode {
	return s.GetToken(HLOParserJSON, 0)
}

func (s *AttrContext) BRACKETED() antlr.TerminalNode {
	return s.GetToken(HLOParserBRACKETED, 0)
}

func (s *AttrContext) SHAPE() antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, 0)
}

func (s *AttrContext) TUPLE() antlr.TerminalNode {
	return s.GetToken(HLOParserTUPLE, 0)
}

func (s *AttrContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *AttrContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Attr() (localctx IAttrContext) {
	localctx = NewAttrContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 16, HLOParserRULE_attr)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(122)
		p.Match(HLOParserATTR)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Key(p.T())
	{
		p.SetState(124)
		_la = p.GetTokenStream().LA(1)

		if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&17592188076078) != 0) {
			p.GetErrorHandler().RecoverInline(p)
		} else {
			p.GetErrorHandler().ReportMatch(p)
			p.Consume()
		}
	}
	p.B.Value(p.Type(), p.T())

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ITablesContext is an interface to support dynamic dispatch.
type ITablesContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	FILE_NAMES() antlr.TerminalNode
	FUNCTION_NAMES() antlr.TerminalNode
	FILE_LOCATIONS() antlr.TerminalNode
	STACK_FRAMES() antlr.TerminalNode
	AllINT() []antlr.TerminalNode
	INT(i int) antlr.TerminalNode
	AllSTRING() []antlr.TerminalNode
	STRING(i int) antlr.TerminalNode
	AllLBRACE() []antlr.TerminalNode
	LBRACE(i int) antlr.TerminalNode
	AllRBRACE() []antlr.TerminalNode
	RBRACE(i int) antlr.TerminalNode
	AllField() []IFieldContext
	Field(i int) IFieldContext

	// IsTablesContext differentiates from other interfaces.
	IsTablesContext()
}

type TablesContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyTablesContext() *TablesContext {
	var p = new(TablesContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tables
	return p
}

func InitEmptyTablesContext(p *TablesContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tables
}

func (*TablesContext) IsTablesContext() {}

func NewTablesContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *TablesContext {
	var p = new(TablesContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_tables

	return p
}

func (s *TablesContext) GetParser() antlr.Parser { return s.parser }

func (s *TablesContext) FILE_NAMES() antlr.TerminalNode {
	return s.GetToken(HLOParserFILE_NAMES, 0)
}

func (s *TablesContext) FUNCTION_NAMES() antlr.TerminalNode {
	return s.GetToken(HLOParserFUNCTION_NAMES, 0)
}

func (s *TablesContext) FILE_LOCATIONS() antlr.TerminalNode {
	return s.GetToken(HLOParserFILE_LOCATIONS, 0)
}

func (s *TablesContext) STACK_FRAMES() antlr.TerminalNode {
	return s.GetToken(HLOParserSTACK_FRAMES, 0)
}

func (s *TablesContext) AllINT() []antlr.TerminalNode {
	return s.GetTokens(HLOParserINT)
}

func (s *TablesContext) INT(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserINT, i)
}

func (s *TablesContext) AllSTRING() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSTRING)
}

func (s *TablesContext) STRING(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, i)
}

func (s *TablesContext) AllLBRACE() []antlr.TerminalNode {
	return s.GetTokens(HLOParserLBRACE)
}

func (s *TablesContext) LBRACE(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, i)
}

func (s *TablesContext) AllRBRACE() []antlr.TerminalNode {
	return s.GetTokens(HLOParserRBRACE)
}

func (s *TablesContext) RBRACE(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, i)
}

func (s *TablesContext) AllField() []IFieldContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IFieldContext); ok {
			len++
		}
	}

	tst := make([]IFieldContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IFieldContext); ok {
			tst[i] = t.(IFieldContext)
			i++
		}
	}

	return tst
}

func (s *TablesContext) Field(i int) IFieldContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IFieldContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IFieldContext)
}

func (s *TablesContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *TablesContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Tables() (localctx ITablesContext) {
	localctx = NewTablesContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 18, HLOParserRULE_tables)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(127)
		p.Match(HLOParserFILE_NAMES)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Tables()
	p.SetState(135)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserINT {
		{
			p.SetState(129)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.RowNumber(p.T())
		{
			p.SetState(131)
			p.Match(HLOParserSTRING)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.FileName(p.T())

		p.SetState(137)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(138)
		p.Match(HLOParserFUNCTION_NAMES)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(145)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserINT {
		{
			p.SetState(139)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.RowNumber(p.T())
		{
			p.SetState(141)
			p.Match(HLOParserSTRING)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.FunctionName(p.T())

		p.SetState(147)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(148)
		p.Match(HLOParserFILE_LOCATIONS)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(162)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserINT {
		{
			p.SetState(149)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.RowNumber(p.T())
		{
			p.SetState(151)
			p.Match(HLOParserLBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.SetState(155)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for _la == HLOParserATTR {
			{
				p.SetState(152)
				p.Field()
			}

			p.SetState(157)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(158)
			p.Match(HLOParserRBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.FileLocation()

		p.SetState(164)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(165)
		p.Match(HLOParserSTACK_FRAMES)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(179)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserINT {
		{
			p.SetState(166)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.RowNumber(p.T())
		{
			p.SetState(168)
			p.Match(HLOParserLBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.SetState(172)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for _la == HLOParserATTR {
			{
				p.SetState(169)
				p.Field()
			}

			p.SetState(174)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(175)
			p.Match(HLOParserRBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.StackFrame()

		p.SetState(181)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IFieldContext is an interface to support dynamic dispatch.
type IFieldContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	ATTR() antlr.TerminalNode
	INT() antlr.TerminalNode
	COMMA() antlr.TerminalNode

	// IsFieldContext differentiates from other interfaces.
	IsFieldContext()
}

type FieldContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyFieldContext() *FieldContext {
	var p = new(FieldContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_field
	return p
}

func InitEmptyFieldContext(p *FieldContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_field
}

func (*FieldContext) IsFieldContext() {}

func NewFieldContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *FieldContext {
	var p = new(FieldContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_field

	return p
}

func (s *FieldContext) GetParser() antlr.Parser { return s.parser }

func (s *FieldContext) ATTR() antlr.TerminalNode {
	return s.GetToken(HLOParserATTR, 0)
}

func (s *FieldContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *FieldContext) COMMA() antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, 0)
}

func (s *FieldContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *FieldContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Field() (localctx IFieldContext) {
	localctx = NewFieldContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 20, HLOParserRULE_field)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(182)
		p.Match(HLOParserATTR)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.FieldKey(p.T())
	{
		p.SetState(184)
		p.Match(HLOParserINT)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.FieldValue(p.T())
	p.SetState(187)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserCOMMA {
		{
			p.SetState(186)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}

	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IComputationContext is an interface to support dynamic dispatch.
type IComputationContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	NAME() antlr.TerminalNode
	LBRACE() antlr.TerminalNode
	RBRACE() antlr.TerminalNode
	ENTRY() antlr.TerminalNode
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	ARROW() antlr.TerminalNode
	ResultShape() IResultShapeContext
	AllInstruction() []IInstructionContext
	Instruction(i int) IInstructionContext
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	AllAttr() []IAttrContext
	Attr(i int) IAttrContext
	AllParameter() []IParameterContext
	Parameter(i int) IParameterContext

	// IsComputationContext differentiates from other interfaces.
	IsComputationContext()
}

type ComputationContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyComputationContext() *ComputationContext {
	var p = new(ComputationContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_computation
	return p
}

func InitEmptyComputationContext(p *ComputationContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_computation
}

func (*ComputationContext) IsComputationContext() {}

func NewComputationContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ComputationContext {
	var p = new(ComputationContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_computation

	return p
}

func (s *ComputationContext) GetParser() antlr.Parser { return s.parser }

func (s *ComputationContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *ComputationContext) LBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, 0)
}

func (s *ComputationContext) RBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, 0)
}

func (s *ComputationContext) ENTRY() antlr.TerminalNode {
	return s.GetToken(HLOParserENTRY, 0)
}

func (s *ComputationContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *ComputationContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *ComputationContext) ARROW() antlr.TerminalNode {
	return s.GetToken(HLOParserARROW, 0)
}

func (s *ComputationContext) ResultShape() IResultShapeContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IResultShapeContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IResultShapeContext)
}

func (s *ComputationContext) AllInstruction() []IInstructionContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IInstructionContext); ok {
			len++
		}
	}

	tst := make([]IInstructionContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IInstructionContext); ok {
			tst[i] = t.(IInstructionContext)
			i++
		}
	}

	return tst
}

func (s *ComputationContext) Instruction(i int) IInstructionContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IInstructionContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IInstructionContext)
}

func (s *ComputationContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *ComputationContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *ComputationContext) AllAttr() []IAttrContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IAttrContext); ok {
			len++
		}
	}

	tst := make([]IAttrContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IAttrContext); ok {
			tst[i] = t.(IAttrContext)
			i++
		}
	}

	return tst
}

func (s *ComputationContext) Attr(i int) IAttrContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IAttrContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IAttrContext)
}

func (s *ComputationContext) AllParameter() []IParameterContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IParameterContext); ok {
			len++
		}
	}

	tst := make([]IParameterContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IParameterContext); ok {
			tst[i] = t.(IParameterContext)
			i++
		}
	}

	return tst
}

func (s *ComputationContext) Parameter(i int) IParameterContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IParameterContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IParameterContext)
}

func (s *ComputationContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ComputationContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Computation() (localctx IComputationContext) {
	localctx = NewComputationContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 22, HLOParserRULE_computation)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.SetState(191)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserENTRY {
		{
			p.SetState(189)
			p.Match(HLOParserENTRY)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Entry()

	}
	{
		p.SetState(193)
		p.Match(HLOParserNAME)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Computation(p.T())
	p.SetState(212)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserLPAREN {
		{
			p.SetState(195)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Signature()
		p.SetState(205)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserNAME {
			{
				p.SetState(197)
				p.Parameter()
			}
			p.SetState(202)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			for _la == HLOParserCOMMA {
				{
					p.SetState(198)
					p.Match(HLOParserCOMMA)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				{
					p.SetState(199)
					p.Parameter()
				}

				p.SetState(204)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)
			}

		}
		{
			p.SetState(207)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(208)
			p.Match(HLOParserARROW)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(209)
			p.ResultShape()
		}
		p.B.Result()

	}
	{
		p.SetState(214)
		p.Match(HLOParserLBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(216)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for ok := true; ok; ok = _la == HLOParserROOT || _la == HLOParserNAME {
		{
			p.SetState(215)
			p.Instruction()
		}

		p.SetState(218)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	{
		p.SetState(220)
		p.Match(HLOParserRBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.ComputationClose()
	p.SetState(226)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserCOMMA {
		{
			p.SetState(222)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(223)
			p.Attr()
		}

		p.SetState(228)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	p.B.ComputationEnd()

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IParameterContext is an interface to support dynamic dispatch.
type IParameterContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	NAME() antlr.TerminalNode
	ResultShape() IResultShapeContext
	COLON() antlr.TerminalNode

	// IsParameterContext differentiates from other interfaces.
	IsParameterContext()
}

type ParameterContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyParameterContext() *ParameterContext {
	var p = new(ParameterContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_parameter
	return p
}

func InitEmptyParameterContext(p *ParameterContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_parameter
}

func (*ParameterContext) IsParameterContext() {}

func NewParameterContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ParameterContext {
	var p = new(ParameterContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_parameter

	return p
}

func (s *ParameterContext) GetParser() antlr.Parser { return s.parser }

func (s *ParameterContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *ParameterContext) ResultShape() IResultShapeContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IResultShapeContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IResultShapeContext)
}

func (s *ParameterContext) COLON() antlr.TerminalNode {
	return s.GetToken(HLOParserCOLON, 0)
}

func (s *ParameterContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ParameterContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Parameter() (localctx IParameterContext) {
	localctx = NewParameterContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 24, HLOParserRULE_parameter)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(231)
		p.Match(HLOParserNAME)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(233)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserCOLON {
		{
			p.SetState(232)
			p.Match(HLOParserCOLON)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}

	}
	{
		p.SetState(235)
		p.ResultShape()
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IResultShapeContext is an interface to support dynamic dispatch.
type IResultShapeContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	SHAPE() antlr.TerminalNode
	TupleShape() ITupleShapeContext

	// IsResultShapeContext differentiates from other interfaces.
	IsResultShapeContext()
}

type ResultShapeContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyResultShapeContext() *ResultShapeContext {
	var p = new(ResultShapeContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_resultShape
	return p
}

func InitEmptyResultShapeContext(p *ResultShapeContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_resultShape
}

func (*ResultShapeContext) IsResultShapeContext() {}

func NewResultShapeContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ResultShapeContext {
	var p = new(ResultShapeContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_resultShape

	return p
}

func (s *ResultShapeContext) GetParser() antlr.Parser { return s.parser }

func (s *ResultShapeContext) SHAPE() antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, 0)
}

func (s *ResultShapeContext) TupleShape() ITupleShapeContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITupleShapeContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITupleShapeContext)
}

func (s *ResultShapeContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ResultShapeContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) ResultShape() (localctx IResultShapeContext) {
	localctx = NewResultShapeContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 26, HLOParserRULE_resultShape)
	p.SetState(243)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserSHAPE:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(237)
			p.Match(HLOParserSHAPE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.ShapeToken(p.T())

	case HLOParserNAME, HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 2)
		p.B.TupleOpen(p.Next())
		{
			p.SetState(240)
			p.TupleShape()
		}
		p.B.TupleClose(p.T())

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ITupleShapeContext is an interface to support dynamic dispatch.
type ITupleShapeContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	NAME() antlr.TerminalNode
	AllSHAPE() []antlr.TerminalNode
	SHAPE(i int) antlr.TerminalNode
	AllTupleShape() []ITupleShapeContext
	TupleShape(i int) ITupleShapeContext
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode

	// IsTupleShapeContext differentiates from other interfaces.
	IsTupleShapeContext()
}

type TupleShapeContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyTupleShapeContext() *TupleShapeContext {
	var p = new(TupleShapeContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tupleShape
	return p
}

func InitEmptyTupleShapeContext(p *TupleShapeContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tupleShape
}

func (*TupleShapeContext) IsTupleShapeContext() {}

func NewTupleShapeContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *TupleShapeContext {
	var p = new(TupleShapeContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_tupleShape

	return p
}

func (s *TupleShapeContext) GetParser() antlr.Parser { return s.parser }

func (s *TupleShapeContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *TupleShapeContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *TupleShapeContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *TupleShapeContext) AllSHAPE() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSHAPE)
}

func (s *TupleShapeContext) SHAPE(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, i)
}

func (s *TupleShapeContext) AllTupleShape() []ITupleShapeContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(ITupleShapeContext); ok {
			len++
		}
	}

	tst := make([]ITupleShapeContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(ITupleShapeContext); ok {
			tst[i] = t.(ITupleShapeContext)
			i++
		}
	}

	return tst
}

func (s *TupleShapeContext) TupleShape(i int) ITupleShapeContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITupleShapeContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITupleShapeContext)
}

func (s *TupleShapeContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *TupleShapeContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *TupleShapeContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *TupleShapeContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) TupleShape() (localctx ITupleShapeContext) {
	localctx = NewTupleShapeContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 28, HLOParserRULE_tupleShape)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.SetState(246)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserNAME {
		{
			p.SetState(245)
			p.Match(HLOParserNAME)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}

	}
	{
		p.SetState(248)
		p.Match(HLOParserLPAREN)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(263)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&268632064) != 0 {
		p.SetState(251)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}

		switch p.GetTokenStream().LA(1) {
		case HLOParserSHAPE:
			{
				p.SetState(249)
				p.Match(HLOParserSHAPE)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		case HLOParserNAME, HLOParserLPAREN:
			{
				p.SetState(250)
				p.TupleShape()
			}

		default:
			p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
			goto errorExit
		}
		p.SetState(260)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for _la == HLOParserCOMMA {
			{
				p.SetState(253)
				p.Match(HLOParserCOMMA)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.SetState(256)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}

			switch p.GetTokenStream().LA(1) {
			case HLOParserSHAPE:
				{
					p.SetState(254)
					p.Match(HLOParserSHAPE)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}

			case HLOParserNAME, HLOParserLPAREN:
				{
					p.SetState(255)
					p.TupleShape()
				}

			default:
				p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
				goto errorExit
			}

			p.SetState(262)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}

	}
	{
		p.SetState(265)
		p.Match(HLOParserRPAREN)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IInstructionContext is an interface to support dynamic dispatch.
type IInstructionContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	AllNAME() []antlr.TerminalNode
	NAME(i int) antlr.TerminalNode
	EQ() antlr.TerminalNode
	CONSTANT() antlr.TerminalNode
	LITERAL() antlr.TerminalNode
	OPCODE() antlr.TerminalNode
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	ROOT() antlr.TerminalNode
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	AllATTR() []antlr.TerminalNode
	ATTR(i int) antlr.TerminalNode
	AllSHAPE() []antlr.TerminalNode
	SHAPE(i int) antlr.TerminalNode
	AllTUPLE() []antlr.TerminalNode
	TUPLE(i int) antlr.TerminalNode
	AllBRACED() []antlr.TerminalNode
	BRACED(i int) antlr.TerminalNode
	AllSTRING() []antlr.TerminalNode
	STRING(i int) antlr.TerminalNode
	AllINT() []antlr.TerminalNode
	INT(i int) antlr.TerminalNode
	AllFLOAT() []antlr.TerminalNode
	FLOAT(i int) antlr.TerminalNode
	AllPATTERN() []antlr.TerminalNode
	PATTERN(i int) antlr.TerminalNode
	AllJSON() []antlr.TerminalNode
	JSON(i int) antlr.TerminalNode
	AllBRACKETED() []antlr.TerminalNode
	BRACKETED(i int) antlr.TerminalNode
	AllRareOperand() []IRareOperandContext
	RareOperand(i int) IRareOperandContext
	AllSCALAR() []antlr.TerminalNode
	SCALAR(i int) antlr.TerminalNode
	AllOperandTail() []IOperandTailContext
	OperandTail(i int) IOperandTailContext

	// IsInstructionContext differentiates from other interfaces.
	IsInstructionContext()
}

type InstructionContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyInstructionContext() *InstructionContext {
	var p = new(InstructionContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_instruction
	return p
}

func InitEmptyInstructionContext(p *InstructionContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_instruction
}

func (*InstructionContext) IsInstructionContext() {}

func NewInstructionContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *InstructionContext {
	var p = new(InstructionContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_instruction

	return p
}

func (s *InstructionContext) GetParser() antlr.Parser { return s.parser }

func (s *InstructionContext) AllNAME() []antlr.TerminalNode {
	return s.GetTokens(HLOParserNAME)
}

func (s *InstructionContext) NAME(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, i)
}

func (s *InstructionContext) EQ() antlr.TerminalNode {
	return s.GetToken(HLOParserEQ, 0)
}

func (s *InstructionContext) CONSTANT() antlr.TerminalNode {
	return s.GetToken(HLOParserCONSTANT, 0)
}

func (s *InstructionContext) LITERAL() antlr.TerminalNode {
	return s.GetToken(HLOParserLITERAL, 0)
}

func (s *InstructionContext) OPCODE() antlr.TerminalNode {
	return s.GetToken(HLOParserOPCODE, 0)
}

func (s *InstructionContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *InstructionContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *InstructionContext) ROOT() antlr.TerminalNode {
	return s.GetToken(HLOParserROOT, 0)
}

func (s *InstructionContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *InstructionContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *InstructionContext) AllATTR() []antlr.TerminalNode {
	return s.GetTokens(HLOParserATTR)
}

func (s *InstructionContext) ATTR(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserATTR, i)
}

func (s *InstructionContext) AllSHAPE() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSHAPE)
}

func (s *InstructionContext) SHAPE(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, i)
}

func (s *InstructionContext) AllTUPLE() []antlr.TerminalNode {
	return s.GetTokens(HLOParserTUPLE)
}

func (s *InstructionContext) TUPLE(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserTUPLE, i)
}

func (s *InstructionContext) AllBRACED() []antlr.TerminalNode {
	return s.GetTokens(HLOParserBRACED)
}

func (s *InstructionContext) BRACED(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserBRACED, i)
}

func (s *InstructionContext) AllSTRING() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSTRING)
}

func (s *InstructionContext) STRING(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, i)
}

func (s *InstructionContext) AllINT() []antlr.TerminalNode {
	return s.GetTokens(HLOParserINT)
}

func (s *InstructionContext) INT(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserINT, i)
}

func (s *InstructionContext) AllFLOAT() []antlr.TerminalNode {
	return s.GetTokens(HLOParserFLOAT)
}

func (s *InstructionContext) FLOAT(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserFLOAT, i)
}

func (s *InstructionContext) AllPATTERN() []antlr.TerminalNode {
	return s.GetTokens(HLOParserPATTERN)
}

func (s *InstructionContext) PATTERN(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserPATTERN, i)
}

func (s *InstructionContext) AllJSON() []antlr.TerminalNode {
	return s.GetTokens(HLOParserJSON)
}

func (s *InstructionContext) JSON(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserJSON, i)
}

func (s *InstructionContext) AllBRACKETED() []antlr.TerminalNode {
	return s.GetTokens(HLOParserBRACKETED)
}

func (s *InstructionContext) BRACKETED(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserBRACKETED, i)
}

func (s *InstructionContext) AllRareOperand() []IRareOperandContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IRareOperandContext); ok {
			len++
		}
	}

	tst := make([]IRareOperandContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IRareOperandContext); ok {
			tst[i] = t.(IRareOperandContext)
			i++
		}
	}

	return tst
}

func (s *InstructionContext) RareOperand(i int) IRareOperandContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IRareOperandContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IRareOperandContext)
}

func (s *InstructionContext) AllSCALAR() []antlr.TerminalNode {
	return s.GetTokens(HLOParserSCALAR)
}

func (s *InstructionContext) SCALAR(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserSCALAR, i)
}

func (s *InstructionContext) AllOperandTail() []IOperandTailContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IOperandTailContext); ok {
			len++
		}
	}

	tst := make([]IOperandTailContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IOperandTailContext); ok {
			tst[i] = t.(IOperandTailContext)
			i++
		}
	}

	return tst
}

func (s *InstructionContext) OperandTail(i int) IOperandTailContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandTailContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandTailContext)
}

func (s *InstructionContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *InstructionContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Instruction() (localctx IInstructionContext) {
	localctx = NewInstructionContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 30, HLOParserRULE_instruction)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.B.Instruction(p.Next())
	p.SetState(270)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserROOT {
		{
			p.SetState(268)
			p.Match(HLOParserROOT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Root()

	}
	{
		p.SetState(272)
		p.Match(HLOParserNAME)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.Name(p.T())
	{
		p.SetState(274)
		p.Match(HLOParserEQ)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.SetState(277)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserTUPLE || _la == HLOParserSHAPE {
		{
			p.SetState(275)
			_la = p.GetTokenStream().LA(1)

			if !(_la == HLOParserTUPLE || _la == HLOParserSHAPE) {
				p.GetErrorHandler().RecoverInline(p)
			} else {
				p.GetErrorHandler().ReportMatch(p)
				p.Consume()
			}
		}
		p.B.Shape(p.T())

	}
	p.SetState(329)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserCONSTANT:
		{
			p.SetState(279)
			p.Match(HLOParserCONSTANT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Opcode(p.T())
		{
			p.SetState(281)
			p.Match(HLOParserLITERAL)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Literal(p.T())

	case HLOParserOPCODE:
		{
			p.SetState(283)
			p.Match(HLOParserOPCODE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Opcode(p.T())
		{
			p.SetState(285)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.SetState(301)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		switch p.GetTokenStream().LA(1) {
		case HLOParserNAME:
			{
				p.SetState(286)
				p.Match(HLOParserNAME)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.Operand(p.T())
			p.SetState(289)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if _la == HLOParserHASH || _la == HLOParserLPAREN {
				{
					p.SetState(288)
					p.OperandTail()
				}

			}

		case HLOParserSHAPE:
			{
				p.SetState(291)
				p.Match(HLOParserSHAPE)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.OperandShape(p.T())
			p.SetState(298)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if _la == HLOParserNAME {
				{
					p.SetState(293)
					p.Match(HLOParserNAME)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.Operand(p.T())
				p.SetState(296)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				if _la == HLOParserHASH || _la == HLOParserLPAREN {
					{
						p.SetState(295)
						p.OperandTail()
					}

				}

			}

		case HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserELLIPSIS, HLOParserLBRACE, HLOParserLPAREN:
			{
				p.SetState(300)
				p.RareOperand()
			}

		case HLOParserCOMMA, HLOParserRPAREN:

		default:
		}
		p.SetState(324)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for _la == HLOParserCOMMA {
			{
				p.SetState(303)
				p.Match(HLOParserCOMMA)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.OperandComma(p.T())
			p.SetState(320)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			switch p.GetTokenStream().LA(1) {
			case HLOParserNAME:
				{
					p.SetState(305)
					p.Match(HLOParserNAME)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.Operand(p.T())
				p.SetState(308)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				if _la == HLOParserHASH || _la == HLOParserLPAREN {
					{
						p.SetState(307)
						p.OperandTail()
					}

				}

			case HLOParserSHAPE:
				{
					p.SetState(310)
					p.Match(HLOParserSHAPE)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.OperandShape(p.T())
				p.SetState(317)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				if _la == HLOParserNAME {
					{
						p.SetState(312)
						p.Match(HLOParserNAME)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}
					p.B.Operand(p.T())
					p.SetState(315)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)

					if _la == HLOParserHASH || _la == HLOParserLPAREN {
						{
							p.SetState(314)
							p.OperandTail()
						}

					}

				}

			case HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserELLIPSIS, HLOParserLBRACE, HLOParserLPAREN:
				{
					p.SetState(319)
					p.RareOperand()
				}

			case HLOParserCOMMA, HLOParserRPAREN:

			default:
			}

			p.SetState(326)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(327)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.OperandsEnd(p.T())

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}
	p.SetState(342)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserCOMMA {
		{
			p.SetState(331)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(332)
			p.Match(HLOParserATTR)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Key(p.T())
		{
			p.SetState(334)
			_la = p.GetTokenStream().LA(1)

			if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&17592188076078) != 0) {
				p.GetErrorHandler().RecoverInline(p)
			} else {
				p.GetErrorHandler().ReportMatch(p)
				p.Consume()
			}
		}
		p.B.Value(p.Type(), p.T())
		p.SetState(338)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserBRACED || _la == HLOParserSCALAR {
			{
				p.SetState(336)
				_la = p.GetTokenStream().LA(1)

				if !(_la == HLOParserBRACED || _la == HLOParserSCALAR) {
					p.GetErrorHandler().RecoverInline(p)
				} else {
					p.GetErrorHandler().ReportMatch(p)
					p.Consume()
				}
			}
			p.B.AttrLiteral(p.T())

		}

		p.SetState(344)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}
	p.B.InstructionEnd()

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IOperandTailContext is an interface to support dynamic dispatch.
type IOperandTailContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	AllHASH() []antlr.TerminalNode
	HASH(i int) antlr.TerminalNode
	AllINT() []antlr.TerminalNode
	INT(i int) antlr.TerminalNode
	LPAREN() antlr.TerminalNode
	Operands() IOperandsContext
	RPAREN() antlr.TerminalNode

	// IsOperandTailContext differentiates from other interfaces.
	IsOperandTailContext()
}

type OperandTailContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyOperandTailContext() *OperandTailContext {
	var p = new(OperandTailContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operandTail
	return p
}

func InitEmptyOperandTailContext(p *OperandTailContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operandTail
}

func (*OperandTailContext) IsOperandTailContext() {}

func NewOperandTailContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *OperandTailContext {
	var p = new(OperandTailContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_operandTail

	return p
}

func (s *OperandTailContext) GetParser() antlr.Parser { return s.parser }

func (s *OperandTailContext) AllHASH() []antlr.TerminalNode {
	return s.GetTokens(HLOParserHASH)
}

func (s *OperandTailContext) HASH(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserHASH, i)
}

func (s *OperandTailContext) AllINT() []antlr.TerminalNode {
	return s.GetTokens(HLOParserINT)
}

func (s *OperandTailContext) INT(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserINT, i)
}

func (s *OperandTailContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *OperandTailContext) Operands() IOperandsContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandsContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandsContext)
}

func (s *OperandTailContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *OperandTailContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *OperandTailContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) OperandTail() (localctx IOperandTailContext) {
	localctx = NewOperandTailContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 32, HLOParserRULE_operandTail)
	var _la int

	p.SetState(360)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserHASH:
		p.EnterOuterAlt(localctx, 1)
		p.SetState(350)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for ok := true; ok; ok = _la == HLOParserHASH {
			{
				p.SetState(347)
				p.Match(HLOParserHASH)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(348)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.ElementOf(p.T())

			p.SetState(352)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}

	case HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(354)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.NestOpen(p.T())
		{
			p.SetState(356)
			p.Operands()
		}
		{
			p.SetState(357)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.NestClose(p.T())

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IOperandsContext is an interface to support dynamic dispatch.
type IOperandsContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	AllOperand() []IOperandContext
	Operand(i int) IOperandContext
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode

	// IsOperandsContext differentiates from other interfaces.
	IsOperandsContext()
}

type OperandsContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyOperandsContext() *OperandsContext {
	var p = new(OperandsContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operands
	return p
}

func InitEmptyOperandsContext(p *OperandsContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operands
}

func (*OperandsContext) IsOperandsContext() {}

func NewOperandsContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *OperandsContext {
	var p = new(OperandsContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_operands

	return p
}

func (s *OperandsContext) GetParser() antlr.Parser { return s.parser }

func (s *OperandsContext) AllOperand() []IOperandContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IOperandContext); ok {
			len++
		}
	}

	tst := make([]IOperandContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IOperandContext); ok {
			tst[i] = t.(IOperandContext)
			i++
		}
	}

	return tst
}

func (s *OperandsContext) Operand(i int) IOperandContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandContext)
}

func (s *OperandsContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *OperandsContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *OperandsContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *OperandsContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Operands() (localctx IOperandsContext) {
	localctx = NewOperandsContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 34, HLOParserRULE_operands)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	p.SetState(363)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&341770240) != 0 {
		{
			p.SetState(362)
			p.Operand()
		}

	}
	p.SetState(372)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	for _la == HLOParserCOMMA {
		{
			p.SetState(365)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.OperandComma(p.T())
		p.SetState(368)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&341770240) != 0 {
			{
				p.SetState(367)
				p.Operand()
			}

		}

		p.SetState(374)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IOperandContext is an interface to support dynamic dispatch.
type IOperandContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	NAME() antlr.TerminalNode
	OperandTail() IOperandTailContext
	SHAPE() antlr.TerminalNode
	RareOperand() IRareOperandContext

	// IsOperandContext differentiates from other interfaces.
	IsOperandContext()
}

type OperandContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyOperandContext() *OperandContext {
	var p = new(OperandContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operand
	return p
}

func InitEmptyOperandContext(p *OperandContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_operand
}

func (*OperandContext) IsOperandContext() {}

func NewOperandContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *OperandContext {
	var p = new(OperandContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_operand

	return p
}

func (s *OperandContext) GetParser() antlr.Parser { return s.parser }

func (s *OperandContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *OperandContext) OperandTail() IOperandTailContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandTailContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandTailContext)
}

func (s *OperandContext) SHAPE() antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, 0)
}

func (s *OperandContext) RareOperand() IRareOperandContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IRareOperandContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IRareOperandContext)
}

func (s *OperandContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *OperandContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Operand() (localctx IOperandContext) {
	localctx = NewOperandContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 36, HLOParserRULE_operand)
	var _la int

	p.SetState(390)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserNAME:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(375)
			p.Match(HLOParserNAME)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Operand(p.T())
		p.SetState(378)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserHASH || _la == HLOParserLPAREN {
			{
				p.SetState(377)
				p.OperandTail()
			}

		}

	case HLOParserSHAPE:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(380)
			p.Match(HLOParserSHAPE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.OperandShape(p.T())
		p.SetState(387)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserNAME {
			{
				p.SetState(382)
				p.Match(HLOParserNAME)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.Operand(p.T())
			p.SetState(385)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if _la == HLOParserHASH || _la == HLOParserLPAREN {
				{
					p.SetState(384)
					p.OperandTail()
				}

			}

		}

	case HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserELLIPSIS, HLOParserLBRACE, HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 3)
		{
			p.SetState(389)
			p.RareOperand()
		}

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IRareOperandContext is an interface to support dynamic dispatch.
type IRareOperandContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	INT() antlr.TerminalNode
	FLOAT() antlr.TerminalNode
	STRING() antlr.TerminalNode
	ELLIPSIS() antlr.TerminalNode
	LBRACE() antlr.TerminalNode
	Operands() IOperandsContext
	RBRACE() antlr.TerminalNode
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	NAME() antlr.TerminalNode
	OperandTail() IOperandTailContext

	// IsRareOperandContext differentiates from other interfaces.
	IsRareOperandContext()
}

type RareOperandContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyRareOperandContext() *RareOperandContext {
	var p = new(RareOperandContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_rareOperand
	return p
}

func InitEmptyRareOperandContext(p *RareOperandContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_rareOperand
}

func (*RareOperandContext) IsRareOperandContext() {}

func NewRareOperandContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *RareOperandContext {
	var p = new(RareOperandContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_rareOperand

	return p
}

func (s *RareOperandContext) GetParser() antlr.Parser { return s.parser }

func (s *RareOperandContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *RareOperandContext) FLOAT() antlr.TerminalNode {
	return s.GetToken(HLOParserFLOAT, 0)
}

func (s *RareOperandContext) STRING() antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, 0)
}

func (s *RareOperandContext) ELLIPSIS() antlr.TerminalNode {
	return s.GetToken(HLOParserELLIPSIS, 0)
}

func (s *RareOperandContext) LBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, 0)
}

func (s *RareOperandContext) Operands() IOperandsContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandsContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandsContext)
}

func (s *RareOperandContext) RBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, 0)
}

func (s *RareOperandContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *RareOperandContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *RareOperandContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *RareOperandContext) OperandTail() IOperandTailContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IOperandTailContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IOperandTailContext)
}

func (s *RareOperandContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *RareOperandContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) RareOperand() (localctx IRareOperandContext) {
	localctx = NewRareOperandContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 38, HLOParserRULE_rareOperand)
	var _la int

	p.SetState(411)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserELLIPSIS:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(392)
			_la = p.GetTokenStream().LA(1)

			if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&6029312) != 0) {
				p.GetErrorHandler().RecoverInline(p)
			} else {
				p.GetErrorHandler().ReportMatch(p)
				p.Consume()
			}
		}
		p.B.OperandText(p.T())

	case HLOParserLBRACE:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(394)
			p.Match(HLOParserLBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(395)
			p.Operands()
		}
		{
			p.SetState(396)
			p.Match(HLOParserRBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.OperandText(p.T())

	case HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 3)
		{
			p.SetState(399)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.GroupOpen(p.T())
		{
			p.SetState(401)
			p.Operands()
		}
		{
			p.SetState(402)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.GroupClose(p.T())
		p.SetState(409)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserNAME {
			{
				p.SetState(404)
				p.Match(HLOParserNAME)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.Operand(p.T())
			p.SetState(407)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if _la == HLOParserHASH || _la == HLOParserLPAREN {
				{
					p.SetState(406)
					p.OperandTail()
				}

			}

		}

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IItemContext is an interface to support dynamic dispatch.
type IItemContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	COMMA() antlr.TerminalNode
	Atom() IAtomContext
	ATTR() antlr.TerminalNode

	// IsItemContext differentiates from other interfaces.
	IsItemContext()
}

type ItemContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyItemContext() *ItemContext {
	var p = new(ItemContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_item
	return p
}

func InitEmptyItemContext(p *ItemContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_item
}

func (*ItemContext) IsItemContext() {}

func NewItemContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ItemContext {
	var p = new(ItemContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_item

	return p
}

func (s *ItemContext) GetParser() antlr.Parser { return s.parser }

func (s *ItemContext) COMMA() antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, 0)
}

func (s *ItemContext) Atom() IAtomContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IAtomContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IAtomContext)
}

func (s *ItemContext) ATTR() antlr.TerminalNode {
	return s.GetToken(HLOParserATTR, 0)
}

func (s *ItemContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ItemContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Item() (localctx IItemContext) {
	localctx = NewItemContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 40, HLOParserRULE_item)
	p.SetState(418)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserCOMMA:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(413)
			p.Match(HLOParserCOMMA)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}

	case HLOParserJSON, HLOParserNAME, HLOParserSHAPE, HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserARROW, HLOParserELLIPSIS, HLOParserCOLON, HLOParserLBRACE, HLOParserLPAREN, HLOParserLBRACK, HLOParserPUNCT, HLOParserPATTERN:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(414)
			p.Atom()
		}

	case HLOParserATTR:
		p.EnterOuterAlt(localctx, 3)
		{
			p.SetState(415)
			p.Match(HLOParserATTR)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.PairKey(p.T())
		{
			p.SetState(417)
			p.Atom()
		}

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IAtomContext is an interface to support dynamic dispatch.
type IAtomContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	NAME() antlr.TerminalNode
	STRING() antlr.TerminalNode
	INT() antlr.TerminalNode
	FLOAT() antlr.TerminalNode
	PATTERN() antlr.TerminalNode
	SHAPE() antlr.TerminalNode
	JSON() antlr.TerminalNode
	ARROW() antlr.TerminalNode
	ELLIPSIS() antlr.TerminalNode
	COLON() antlr.TerminalNode
	PUNCT() antlr.TerminalNode
	LBRACE() antlr.TerminalNode
	RBRACE() antlr.TerminalNode
	AllItem() []IItemContext
	Item(i int) IItemContext
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	LBRACK() antlr.TerminalNode
	RBRACK() antlr.TerminalNode

	// IsAtomContext differentiates from other interfaces.
	IsAtomContext()
}

type AtomContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyAtomContext() *AtomContext {
	var p = new(AtomContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_atom
	return p
}

func InitEmptyAtomContext(p *AtomContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_atom
}

func (*AtomContext) IsAtomContext() {}

func NewAtomContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *AtomContext {
	var p = new(AtomContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_atom

	return p
}

func (s *AtomContext) GetParser() antlr.Parser { return s.parser }

func (s *AtomContext) NAME() antlr.TerminalNode {
	return s.GetToken(HLOParserNAME, 0)
}

func (s *AtomContext) STRING() antlr.TerminalNode {
	return s.GetToken(HLOParserSTRING, 0)
}

func (s *AtomContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *AtomContext) FLOAT() antlr.TerminalNode {
	return s.GetToken(HLOParserFLOAT, 0)
}

func (s *AtomContext) PATTERN() antlr.TerminalNode {
	return s.GetToken(HLOParserPATTERN, 0)
}

func (s *AtomContext) SHAPE() antlr.TerminalNode {
	return s.GetToken(HLOParserSHAPE, 0)
}

func (s *AtomContext) JSON() antlr.TerminalNode {
	return s.GetToken(HLOParserJSON, 0)
}

func (s *AtomContext) ARROW() antlr.TerminalNode {
	return s.GetToken(HLOParserARROW, 0)
}

func (s *AtomContext) ELLIPSIS() antlr.TerminalNode {
	return s.GetToken(HLOParserELLIPSIS, 0)
}

func (s *AtomContext) COLON() antlr.TerminalNode {
	return s.GetToken(HLOParserCOLON, 0)
}

func (s *AtomContext) PUNCT() antlr.TerminalNode {
	return s.GetToken(HLOParserPUNCT, 0)
}

func (s *AtomContext) LBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, 0)
}

func (s *AtomContext) RBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, 0)
}

func (s *AtomContext) AllItem() []IItemContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IItemContext); ok {
			len++
		}
	}

	tst := make([]IItemContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IItemContext); ok {
			tst[i] = t.(IItemContext)
			i++
		}
	}

	return tst
}

func (s *AtomContext) Item(i int) IItemContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IItemContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IItemContext)
}

func (s *AtomContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *AtomContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *AtomContext) LBRACK() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACK, 0)
}

func (s *AtomContext) RBRACK() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACK, 0)
}

func (s *AtomContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *AtomContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Atom() (localctx IAtomContext) {
	localctx = NewAtomContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 42, HLOParserRULE_atom)
	var _la int

	p.SetState(452)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserJSON, HLOParserNAME, HLOParserSHAPE, HLOParserINT, HLOParserFLOAT, HLOParserSTRING, HLOParserARROW, HLOParserELLIPSIS, HLOParserCOLON, HLOParserPUNCT, HLOParserPATTERN:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(420)
			_la = p.GetTokenStream().LA(1)

			if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&26388304166920) != 0) {
				p.GetErrorHandler().RecoverInline(p)
			} else {
				p.GetErrorHandler().ReportMatch(p)
				p.Consume()
			}
		}
		p.B.Atom(p.Type(), p.T())

	case HLOParserLBRACE:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(422)
			p.Match(HLOParserLBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Open(p.T())
		p.SetState(427)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&28587671371784) != 0 {
			{
				p.SetState(424)
				p.Item()
			}

			p.SetState(429)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(430)
			p.Match(HLOParserRBRACE)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Close(p.T())

	case HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 3)
		{
			p.SetState(432)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Open(p.T())
		p.SetState(437)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&28587671371784) != 0 {
			{
				p.SetState(434)
				p.Item()
			}

			p.SetState(439)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(440)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Close(p.T())

	case HLOParserLBRACK:
		p.EnterOuterAlt(localctx, 4)
		{
			p.SetState(442)
			p.Match(HLOParserLBRACK)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Open(p.T())
		p.SetState(447)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&28587671371784) != 0 {
			{
				p.SetState(444)
				p.Item()
			}

			p.SetState(449)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}
		{
			p.SetState(450)
			p.Match(HLOParserRBRACK)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Close(p.T())

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IShapeContext is an interface to support dynamic dispatch.
type IShapeContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	LPAREN() antlr.TerminalNode
	RPAREN() antlr.TerminalNode
	AllShape() []IShapeContext
	Shape(i int) IShapeContext
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	TypeName() ITypeNameContext
	LBRACK() antlr.TerminalNode
	RBRACK() antlr.TerminalNode
	AllDimension() []IDimensionContext
	Dimension(i int) IDimensionContext
	Layout() ILayoutContext

	// IsShapeContext differentiates from other interfaces.
	IsShapeContext()
}

type ShapeContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyShapeContext() *ShapeContext {
	var p = new(ShapeContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_shape
	return p
}

func InitEmptyShapeContext(p *ShapeContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_shape
}

func (*ShapeContext) IsShapeContext() {}

func NewShapeContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *ShapeContext {
	var p = new(ShapeContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_shape

	return p
}

func (s *ShapeContext) GetParser() antlr.Parser { return s.parser }

func (s *ShapeContext) LPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, 0)
}

func (s *ShapeContext) RPAREN() antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, 0)
}

func (s *ShapeContext) AllShape() []IShapeContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IShapeContext); ok {
			len++
		}
	}

	tst := make([]IShapeContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IShapeContext); ok {
			tst[i] = t.(IShapeContext)
			i++
		}
	}

	return tst
}

func (s *ShapeContext) Shape(i int) IShapeContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IShapeContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IShapeContext)
}

func (s *ShapeContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *ShapeContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *ShapeContext) TypeName() ITypeNameContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITypeNameContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITypeNameContext)
}

func (s *ShapeContext) LBRACK() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACK, 0)
}

func (s *ShapeContext) RBRACK() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACK, 0)
}

func (s *ShapeContext) AllDimension() []IDimensionContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(IDimensionContext); ok {
			len++
		}
	}

	tst := make([]IDimensionContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(IDimensionContext); ok {
			tst[i] = t.(IDimensionContext)
			i++
		}
	}

	return tst
}

func (s *ShapeContext) Dimension(i int) IDimensionContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IDimensionContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(IDimensionContext)
}

func (s *ShapeContext) Layout() ILayoutContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ILayoutContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(ILayoutContext)
}

func (s *ShapeContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *ShapeContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Shape() (localctx IShapeContext) {
	localctx = NewShapeContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 44, HLOParserRULE_shape)
	var _la int

	p.SetState(493)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserLPAREN:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(454)
			p.Match(HLOParserLPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.TupleBegin()
		p.SetState(464)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&71916856818008064) != 0 {
			{
				p.SetState(456)
				p.Shape()
			}
			p.SetState(461)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			for _la == HLOParserCOMMA {
				{
					p.SetState(457)
					p.Match(HLOParserCOMMA)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				{
					p.SetState(458)
					p.Shape()
				}

				p.SetState(463)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)
			}

		}
		{
			p.SetState(466)
			p.Match(HLOParserRPAREN)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.TupleEnd()

	case HLOParserDIM_TYPES, HLOParserTILES, HLOParserTAIL, HLOParserELEMENT_BITS, HLOParserMEMORY_SPACE, HLOParserSPLITS, HLOParserPHYSICAL, HLOParserMETADATA_PREFIX, HLOParserTYPE:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(468)
			p.TypeName()
		}
		p.B.ElementType(p.T())
		p.SetState(491)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}

		switch p.GetTokenStream().LA(1) {
		case HLOParserLBRACK:
			{
				p.SetState(470)
				p.Match(HLOParserLBRACK)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.SetState(479)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&432345564227829760) != 0 {
				{
					p.SetState(471)
					p.Dimension()
				}
				p.SetState(476)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				for _la == HLOParserCOMMA {
					{
						p.SetState(472)
						p.Match(HLOParserCOMMA)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}
					{
						p.SetState(473)
						p.Dimension()
					}

					p.SetState(478)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)
				}

			}
			{
				p.SetState(481)
				p.Match(HLOParserRBRACK)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.SetState(483)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if _la == HLOParserLBRACE {
				{
					p.SetState(482)
					p.Layout()
				}

			}
			p.B.ArrayEnd()

		case HLOParserLPAREN:
			{
				p.SetState(486)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(487)
				p.Shape()
			}
			{
				p.SetState(488)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.BufferEnd()

		default:
			p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
			goto errorExit
		}

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ITypeNameContext is an interface to support dynamic dispatch.
type ITypeNameContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	TYPE() antlr.TerminalNode
	DIM_TYPES() antlr.TerminalNode
	TILES() antlr.TerminalNode
	TAIL() antlr.TerminalNode
	ELEMENT_BITS() antlr.TerminalNode
	MEMORY_SPACE() antlr.TerminalNode
	SPLITS() antlr.TerminalNode
	PHYSICAL() antlr.TerminalNode
	METADATA_PREFIX() antlr.TerminalNode

	// IsTypeNameContext differentiates from other interfaces.
	IsTypeNameContext()
}

type TypeNameContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyTypeNameContext() *TypeNameContext {
	var p = new(TypeNameContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_typeName
	return p
}

func InitEmptyTypeNameContext(p *TypeNameContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_typeName
}

func (*TypeNameContext) IsTypeNameContext() {}

func NewTypeNameContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *TypeNameContext {
	var p = new(TypeNameContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_typeName

	return p
}

func (s *TypeNameContext) GetParser() antlr.Parser { return s.parser }

func (s *TypeNameContext) TYPE() antlr.TerminalNode {
	return s.GetToken(HLOParserTYPE, 0)
}

func (s *TypeNameContext) DIM_TYPES() antlr.TerminalNode {
	return s.GetToken(HLOParserDIM_TYPES, 0)
}

func (s *TypeNameContext) TILES() antlr.TerminalNode {
	return s.GetToken(HLOParserTILES, 0)
}

func (s *TypeNameContext) TAIL() antlr.TerminalNode {
	return s.GetToken(HLOParserTAIL, 0)
}

func (s *TypeNameContext) ELEMENT_BITS() antlr.TerminalNode {
	return s.GetToken(HLOParserELEMENT_BITS, 0)
}

func (s *TypeNameContext) MEMORY_SPACE() antlr.TerminalNode {
	return s.GetToken(HLOParserMEMORY_SPACE, 0)
}

func (s *TypeNameContext) SPLITS() antlr.TerminalNode {
	return s.GetToken(HLOParserSPLITS, 0)
}

func (s *TypeNameContext) PHYSICAL() antlr.TerminalNode {
	return s.GetToken(HLOParserPHYSICAL, 0)
}

func (s *TypeNameContext) METADATA_PREFIX() antlr.TerminalNode {
	return s.GetToken(HLOParserMETADATA_PREFIX, 0)
}

func (s *TypeNameContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *TypeNameContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) TypeName() (localctx ITypeNameContext) {
	localctx = NewTypeNameContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 46, HLOParserRULE_typeName)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(495)
		_la = p.GetTokenStream().LA(1)

		if !((int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&71916856549572608) != 0) {
			p.GetErrorHandler().RecoverInline(p)
		} else {
			p.GetErrorHandler().ReportMatch(p)
			p.Consume()
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// IDimensionContext is an interface to support dynamic dispatch.
type IDimensionContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	INT() antlr.TerminalNode
	BOUND() antlr.TerminalNode
	UNBOUNDED() antlr.TerminalNode

	// IsDimensionContext differentiates from other interfaces.
	IsDimensionContext()
}

type DimensionContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyDimensionContext() *DimensionContext {
	var p = new(DimensionContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_dimension
	return p
}

func InitEmptyDimensionContext(p *DimensionContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_dimension
}

func (*DimensionContext) IsDimensionContext() {}

func NewDimensionContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *DimensionContext {
	var p = new(DimensionContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_dimension

	return p
}

func (s *DimensionContext) GetParser() antlr.Parser { return s.parser }

func (s *DimensionContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *DimensionContext) BOUND() antlr.TerminalNode {
	return s.GetToken(HLOParserBOUND, 0)
}

func (s *DimensionContext) UNBOUNDED() antlr.TerminalNode {
	return s.GetToken(HLOParserUNBOUNDED, 0)
}

func (s *DimensionContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *DimensionContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Dimension() (localctx IDimensionContext) {
	localctx = NewDimensionContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 48, HLOParserRULE_dimension)
	p.SetState(504)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserINT:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(497)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Dim(p.T(), false)

	case HLOParserBOUND:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(499)
			p.Match(HLOParserBOUND)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		{
			p.SetState(500)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.Dim(p.T(), true)

	case HLOParserUNBOUNDED:
		p.EnterOuterAlt(localctx, 3)
		{
			p.SetState(502)
			p.Match(HLOParserUNBOUNDED)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.DimUnbounded()

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ILayoutContext is an interface to support dynamic dispatch.
type ILayoutContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	LBRACE() antlr.TerminalNode
	RBRACE() antlr.TerminalNode
	AllINT() []antlr.TerminalNode
	INT(i int) antlr.TerminalNode
	AllCOLON() []antlr.TerminalNode
	COLON(i int) antlr.TerminalNode
	AllCOMMA() []antlr.TerminalNode
	COMMA(i int) antlr.TerminalNode
	DIM_TYPES() antlr.TerminalNode
	AllLPAREN() []antlr.TerminalNode
	LPAREN(i int) antlr.TerminalNode
	AllRPAREN() []antlr.TerminalNode
	RPAREN(i int) antlr.TerminalNode
	TILES() antlr.TerminalNode
	TAIL() antlr.TerminalNode
	HASH() antlr.TerminalNode
	AllTypeName() []ITypeNameContext
	TypeName(i int) ITypeNameContext
	STAR() antlr.TerminalNode
	ELEMENT_BITS() antlr.TerminalNode
	MEMORY_SPACE() antlr.TerminalNode
	SPLITS() antlr.TerminalNode
	PHYSICAL() antlr.TerminalNode
	Shape() IShapeContext
	METADATA_PREFIX() antlr.TerminalNode
	AllMARK() []antlr.TerminalNode
	MARK(i int) antlr.TerminalNode
	AllTileDim() []ITileDimContext
	TileDim(i int) ITileDimContext

	// IsLayoutContext differentiates from other interfaces.
	IsLayoutContext()
}

type LayoutContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyLayoutContext() *LayoutContext {
	var p = new(LayoutContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_layout
	return p
}

func InitEmptyLayoutContext(p *LayoutContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_layout
}

func (*LayoutContext) IsLayoutContext() {}

func NewLayoutContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *LayoutContext {
	var p = new(LayoutContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_layout

	return p
}

func (s *LayoutContext) GetParser() antlr.Parser { return s.parser }

func (s *LayoutContext) LBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserLBRACE, 0)
}

func (s *LayoutContext) RBRACE() antlr.TerminalNode {
	return s.GetToken(HLOParserRBRACE, 0)
}

func (s *LayoutContext) AllINT() []antlr.TerminalNode {
	return s.GetTokens(HLOParserINT)
}

func (s *LayoutContext) INT(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserINT, i)
}

func (s *LayoutContext) AllCOLON() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOLON)
}

func (s *LayoutContext) COLON(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOLON, i)
}

func (s *LayoutContext) AllCOMMA() []antlr.TerminalNode {
	return s.GetTokens(HLOParserCOMMA)
}

func (s *LayoutContext) COMMA(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserCOMMA, i)
}

func (s *LayoutContext) DIM_TYPES() antlr.TerminalNode {
	return s.GetToken(HLOParserDIM_TYPES, 0)
}

func (s *LayoutContext) AllLPAREN() []antlr.TerminalNode {
	return s.GetTokens(HLOParserLPAREN)
}

func (s *LayoutContext) LPAREN(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserLPAREN, i)
}

func (s *LayoutContext) AllRPAREN() []antlr.TerminalNode {
	return s.GetTokens(HLOParserRPAREN)
}

func (s *LayoutContext) RPAREN(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserRPAREN, i)
}

func (s *LayoutContext) TILES() antlr.TerminalNode {
	return s.GetToken(HLOParserTILES, 0)
}

func (s *LayoutContext) TAIL() antlr.TerminalNode {
	return s.GetToken(HLOParserTAIL, 0)
}

func (s *LayoutContext) HASH() antlr.TerminalNode {
	return s.GetToken(HLOParserHASH, 0)
}

func (s *LayoutContext) AllTypeName() []ITypeNameContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(ITypeNameContext); ok {
			len++
		}
	}

	tst := make([]ITypeNameContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(ITypeNameContext); ok {
			tst[i] = t.(ITypeNameContext)
			i++
		}
	}

	return tst
}

func (s *LayoutContext) TypeName(i int) ITypeNameContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITypeNameContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITypeNameContext)
}

func (s *LayoutContext) STAR() antlr.TerminalNode {
	return s.GetToken(HLOParserSTAR, 0)
}

func (s *LayoutContext) ELEMENT_BITS() antlr.TerminalNode {
	return s.GetToken(HLOParserELEMENT_BITS, 0)
}

func (s *LayoutContext) MEMORY_SPACE() antlr.TerminalNode {
	return s.GetToken(HLOParserMEMORY_SPACE, 0)
}

func (s *LayoutContext) SPLITS() antlr.TerminalNode {
	return s.GetToken(HLOParserSPLITS, 0)
}

func (s *LayoutContext) PHYSICAL() antlr.TerminalNode {
	return s.GetToken(HLOParserPHYSICAL, 0)
}

func (s *LayoutContext) Shape() IShapeContext {
	var t antlr.RuleContext
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(IShapeContext); ok {
			t = ctx.(antlr.RuleContext)
			break
		}
	}

	if t == nil {
		return nil
	}

	return t.(IShapeContext)
}

func (s *LayoutContext) METADATA_PREFIX() antlr.TerminalNode {
	return s.GetToken(HLOParserMETADATA_PREFIX, 0)
}

func (s *LayoutContext) AllMARK() []antlr.TerminalNode {
	return s.GetTokens(HLOParserMARK)
}

func (s *LayoutContext) MARK(i int) antlr.TerminalNode {
	return s.GetToken(HLOParserMARK, i)
}

func (s *LayoutContext) AllTileDim() []ITileDimContext {
	children := s.GetChildren()
	len := 0
	for _, ctx := range children {
		if _, ok := ctx.(ITileDimContext); ok {
			len++
		}
	}

	tst := make([]ITileDimContext, len)
	i := 0
	for _, ctx := range children {
		if t, ok := ctx.(ITileDimContext); ok {
			tst[i] = t.(ITileDimContext)
			i++
		}
	}

	return tst
}

func (s *LayoutContext) TileDim(i int) ITileDimContext {
	var t antlr.RuleContext
	j := 0
	for _, ctx := range s.GetChildren() {
		if _, ok := ctx.(ITileDimContext); ok {
			if j == i {
				t = ctx.(antlr.RuleContext)
				break
			}
			j++
		}
	}

	if t == nil {
		return nil
	}

	return t.(ITileDimContext)
}

func (s *LayoutContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *LayoutContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) Layout() (localctx ILayoutContext) {
	localctx = NewLayoutContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 50, HLOParserRULE_layout)
	var _la int

	p.EnterOuterAlt(localctx, 1)
	{
		p.SetState(506)
		p.Match(HLOParserLBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}
	p.B.LayoutBegin(p.T())
	p.SetState(518)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserINT {
		{
			p.SetState(508)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.MinorToMajor(p.T())
		p.SetState(515)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		for _la == HLOParserCOMMA {
			{
				p.SetState(510)
				p.Match(HLOParserCOMMA)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(511)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.MinorToMajor(p.T())

			p.SetState(517)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)
		}

	}
	p.SetState(645)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}
	_la = p.GetTokenStream().LA(1)

	if _la == HLOParserCOLON {
		{
			p.SetState(520)
			p.Match(HLOParserCOLON)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.SetState(548)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserDIM_TYPES {
			{
				p.SetState(521)
				p.Match(HLOParserDIM_TYPES)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(522)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.DimTypesBegin(p.T())
			p.SetState(544)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			if (int64(_la) & ^0x3f) == 0 && ((int64(1)<<_la)&71916856549572608) != 0 {
				{
					p.SetState(524)
					p.TypeName()
				}
				p.SetState(528)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				for _la == HLOParserMARK {
					{
						p.SetState(525)
						p.Match(HLOParserMARK)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}

					p.SetState(530)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)
				}
				p.SetState(541)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				for _la == HLOParserCOMMA {
					{
						p.SetState(531)
						p.Match(HLOParserCOMMA)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}
					{
						p.SetState(532)
						p.TypeName()
					}
					p.SetState(536)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)

					for _la == HLOParserMARK {
						{
							p.SetState(533)
							p.Match(HLOParserMARK)
							if p.HasError() {
								// Recognition error - abort rule
								goto errorExit
							}
						}

						p.SetState(538)
						p.GetErrorHandler().Sync(p)
						if p.HasError() {
							goto errorExit
						}
						_la = p.GetTokenStream().LA(1)
					}

					p.SetState(543)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)
				}

			}
			{
				p.SetState(546)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.DimTypesEnd(p.T())

		}
		p.SetState(568)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserTILES {
			{
				p.SetState(550)
				p.Match(HLOParserTILES)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.SetState(564)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			for ok := true; ok; ok = _la == HLOParserLPAREN {
				{
					p.SetState(551)
					p.Match(HLOParserLPAREN)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.Tile()
				p.SetState(561)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				if _la == HLOParserINT || _la == HLOParserSTAR {
					{
						p.SetState(553)
						p.TileDim()
					}
					p.SetState(558)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)

					for _la == HLOParserCOMMA {
						{
							p.SetState(554)
							p.Match(HLOParserCOMMA)
							if p.HasError() {
								// Recognition error - abort rule
								goto errorExit
							}
						}
						{
							p.SetState(555)
							p.TileDim()
						}

						p.SetState(560)
						p.GetErrorHandler().Sync(p)
						if p.HasError() {
							goto errorExit
						}
						_la = p.GetTokenStream().LA(1)
					}

				}
				{
					p.SetState(563)
					p.Match(HLOParserRPAREN)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}

				p.SetState(566)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)
			}

		}
		p.SetState(575)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserTAIL {
			{
				p.SetState(570)
				p.Match(HLOParserTAIL)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(571)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(572)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.TailPadding(p.T())
			{
				p.SetState(574)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}
		p.SetState(583)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserHASH {
			{
				p.SetState(577)
				p.Match(HLOParserHASH)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(578)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(579)
				p.TypeName()
			}
			p.B.IndexType(p.T())
			{
				p.SetState(581)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}
		p.SetState(591)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserSTAR {
			{
				p.SetState(585)
				p.Match(HLOParserSTAR)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(586)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(587)
				p.TypeName()
			}
			p.B.PointerType(p.T())
			{
				p.SetState(589)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}
		p.SetState(598)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserELEMENT_BITS {
			{
				p.SetState(593)
				p.Match(HLOParserELEMENT_BITS)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(594)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(595)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.ElementBits(p.T())
			{
				p.SetState(597)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}
		p.SetState(605)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserMEMORY_SPACE {
			{
				p.SetState(600)
				p.Match(HLOParserMEMORY_SPACE)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(601)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(602)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.MemorySpace(p.T())
			{
				p.SetState(604)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}
		p.SetState(627)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserSPLITS {
			{
				p.SetState(607)
				p.Match(HLOParserSPLITS)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.SetState(623)
			p.GetErrorHandler().Sync(p)
			if p.HasError() {
				goto errorExit
			}
			_la = p.GetTokenStream().LA(1)

			for ok := true; ok; ok = _la == HLOParserLPAREN {
				{
					p.SetState(608)
					p.Match(HLOParserLPAREN)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				{
					p.SetState(609)
					p.Match(HLOParserINT)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.SplitDim(p.T())
				{
					p.SetState(611)
					p.Match(HLOParserCOLON)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				{
					p.SetState(612)
					p.Match(HLOParserINT)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}
				p.B.SplitIndex(p.T())
				p.SetState(619)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)

				for _la == HLOParserCOMMA {
					{
						p.SetState(614)
						p.Match(HLOParserCOMMA)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}
					{
						p.SetState(615)
						p.Match(HLOParserINT)
						if p.HasError() {
							// Recognition error - abort rule
							goto errorExit
						}
					}
					p.B.SplitIndex(p.T())

					p.SetState(621)
					p.GetErrorHandler().Sync(p)
					if p.HasError() {
						goto errorExit
					}
					_la = p.GetTokenStream().LA(1)
				}
				{
					p.SetState(622)
					p.Match(HLOParserRPAREN)
					if p.HasError() {
						// Recognition error - abort rule
						goto errorExit
					}
				}

				p.SetState(625)
				p.GetErrorHandler().Sync(p)
				if p.HasError() {
					goto errorExit
				}
				_la = p.GetTokenStream().LA(1)
			}

		}
		p.SetState(636)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserPHYSICAL {
			{
				p.SetState(629)
				p.Match(HLOParserPHYSICAL)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(630)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.PhysicalBegin()
			{
				p.SetState(632)
				p.Shape()
			}
			{
				p.SetState(633)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.PhysicalEnd()

		}
		p.SetState(643)
		p.GetErrorHandler().Sync(p)
		if p.HasError() {
			goto errorExit
		}
		_la = p.GetTokenStream().LA(1)

		if _la == HLOParserMETADATA_PREFIX {
			{
				p.SetState(638)
				p.Match(HLOParserMETADATA_PREFIX)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(639)
				p.Match(HLOParserLPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			{
				p.SetState(640)
				p.Match(HLOParserINT)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}
			p.B.MetadataPrefix(p.T())
			{
				p.SetState(642)
				p.Match(HLOParserRPAREN)
				if p.HasError() {
					// Recognition error - abort rule
					goto errorExit
				}
			}

		}

	}
	{
		p.SetState(647)
		p.Match(HLOParserRBRACE)
		if p.HasError() {
			// Recognition error - abort rule
			goto errorExit
		}
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}

// ITileDimContext is an interface to support dynamic dispatch.
type ITileDimContext interface {
	antlr.ParserRuleContext

	// GetParser returns the parser.
	GetParser() antlr.Parser

	// Getter signatures
	INT() antlr.TerminalNode
	STAR() antlr.TerminalNode

	// IsTileDimContext differentiates from other interfaces.
	IsTileDimContext()
}

type TileDimContext struct {
	antlr.BaseParserRuleContext
	parser antlr.Parser
}

func NewEmptyTileDimContext() *TileDimContext {
	var p = new(TileDimContext)
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tileDim
	return p
}

func InitEmptyTileDimContext(p *TileDimContext) {
	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, nil, -1)
	p.RuleIndex = HLOParserRULE_tileDim
}

func (*TileDimContext) IsTileDimContext() {}

func NewTileDimContext(parser antlr.Parser, parent antlr.ParserRuleContext, invokingState int) *TileDimContext {
	var p = new(TileDimContext)

	antlr.InitBaseParserRuleContext(&p.BaseParserRuleContext, parent, invokingState)

	p.parser = parser
	p.RuleIndex = HLOParserRULE_tileDim

	return p
}

func (s *TileDimContext) GetParser() antlr.Parser { return s.parser }

func (s *TileDimContext) INT() antlr.TerminalNode {
	return s.GetToken(HLOParserINT, 0)
}

func (s *TileDimContext) STAR() antlr.TerminalNode {
	return s.GetToken(HLOParserSTAR, 0)
}

func (s *TileDimContext) GetRuleContext() antlr.RuleContext {
	return s
}

func (s *TileDimContext) ToStringTree(ruleNames []string, recog antlr.Recognizer) string {
	return antlr.TreesStringTree(s, ruleNames, recog)
}

func (p *HLOParser) TileDim() (localctx ITileDimContext) {
	localctx = NewTileDimContext(p, p.GetParserRuleContext(), p.GetState())
	p.EnterRule(localctx, 52, HLOParserRULE_tileDim)
	p.SetState(653)
	p.GetErrorHandler().Sync(p)
	if p.HasError() {
		goto errorExit
	}

	switch p.GetTokenStream().LA(1) {
	case HLOParserINT:
		p.EnterOuterAlt(localctx, 1)
		{
			p.SetState(649)
			p.Match(HLOParserINT)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.TileDim(p.T())

	case HLOParserSTAR:
		p.EnterOuterAlt(localctx, 2)
		{
			p.SetState(651)
			p.Match(HLOParserSTAR)
			if p.HasError() {
				// Recognition error - abort rule
				goto errorExit
			}
		}
		p.B.TileStar()

	default:
		p.SetError(antlr.NewNoViableAltException(p, nil, nil, nil, nil, nil))
		goto errorExit
	}

errorExit:
	if p.HasError() {
		v := p.GetError()
		localctx.SetException(v)
		p.GetErrorHandler().ReportError(p, v)
		p.GetErrorHandler().Recover(p, v)
		p.SetError(nil)
	}
	p.ExitRule()
	return localctx
	goto errorExit // Trick to prevent compiler error if the label is not used
}
