// Syntax of HLO text (XLA's hlo_parser). Every decision looks one token ahead.
//
// The actions are calls to the builder (parser/internal/build); p.T() is the text of the token just read. The rule
// `lines` and some of the value rules hold their frequent parts in line because each rule call of the generated code
// allocates.
parser grammar HLOParser;
options { tokenVocab = HLOLexer; superClass = Base; }

// ---- entry points ---------------------------------------------------------------------------------------------------

module : header tables? computation+ EOF ;
headerless : computation+ EOF ;
single : instructions EOF ; // the builder refuses a second one
body : instructions EOF ;
rest : lines computationEnd computation* EOF ; // behind an error
first : header tables? piece* EOF ; // a text up to the end of an instruction
further : instructions pieceEnd piece* EOF ; // what follows that
shapeText : shape EOF ;

// Attribute values. valueText takes any of them; the others are what XLA takes for single keys, for reading strictly.
valueText : {p.B.ValueBegin()} item+ EOF ;
frontendText : {p.B.ValueBegin()} open ( keyed ( COMMA keyed )* )? close EOF ;
intsText : {p.B.ValueBegin()} LBRACE {p.B.Open(p.T())} ( INT {p.B.Atom(p.Type(), p.T())} ( COMMA INT {p.B.Atom(p.Type(), p.T())} )* )? RBRACE {p.B.Close(p.T())} EOF ;
intListsText : {p.B.ValueBegin()} open ( ints ( COMMA ints )* )? close EOF ;
wordsText : {p.B.ValueBegin()} open ( word ( COMMA word )* )? close EOF ;
shapesText : {p.B.ValueBegin()} open ( ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) ( COMMA ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) )* )? close EOF ;
entryLayoutText : {p.B.ValueBegin()} LBRACE {p.B.Open(p.T())}
  LPAREN {p.B.Open(p.T())} ( ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) ( COMMA | {p.B.MustClose(p.Next())} ) )* RPAREN {p.B.Close(p.T())} // (a,) is fine
  ARROW {p.B.Atom(p.Type(), p.T())} ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) RBRACE {p.B.Close(p.T())} EOF ;
sliceText : {p.B.ValueBegin()} open ( sliceRange ( COMMA sliceRange )* )? close EOF ;
windowText : {p.B.ValueBegin()} open ( ATTR {p.B.PairKey(p.T())} ( INT | PATTERN ) {p.B.Atom(p.Type(), p.T())} )* close EOF ;
metadataText : {p.B.ValueBegin()} LBRACE {p.B.Open(p.T())} ( COMMA? ATTR {p.B.PairKey(p.T())} ( ( STRING | INT ) {p.B.Atom(p.Type(), p.T())} | ints ) )* RBRACE {p.B.Close(p.T())} EOF ;
aliasText : {p.B.ValueBegin()} LBRACE {p.B.Open(p.T())}
  ( LBRACE {p.B.Open(p.T())} ( INT {p.B.Atom(p.Type(), p.T())} ( COMMA INT {p.B.Atom(p.Type(), p.T())} )* )? RBRACE {p.B.Close(p.T())} COLON {p.B.Atom(p.Type(), p.T())}
    LPAREN {p.B.Open(p.T())} INT {p.B.Atom(p.Type(), p.T())} COMMA
    LBRACE {p.B.Open(p.T())} ( INT {p.B.Atom(p.Type(), p.T())} ( COMMA INT {p.B.Atom(p.Type(), p.T())} )* )? RBRACE {p.B.Close(p.T())}
    ( COMMA NAME {p.B.Atom(p.Type(), p.T())} )? RPAREN {p.B.Close(p.T())} COMMA?
  )* RBRACE {p.B.Close(p.T())} EOF ;
donorText : {p.B.ValueBegin()} open ( openTuple int COMMA ints closeTuple COMMA? )* close EOF ;
iotaText : {p.B.ValueBegin()} intsInBrackets ( PUNCT {p.B.Atom(p.Type(), p.T())} intsInBrackets ( word intsInParens )? )? EOF ;
meshText : {p.B.ValueBegin()} word openBracket ( axisSize ( COMMA axisSize )* )? closeBracket
  ( COMMA ATTR {p.B.PairKey(p.T())} openTuple ( int ( COMMA int )* | intsInBrackets ( word intsInParens )? ) closeTuple )?
  open ( axis ( COMMA axis )* )? close EOF ;

shardingText : {p.B.ValueBegin()} sharding EOF ;

// ---- module ---------------------------------------------------------------------------------------------------------

header : HLOMODULE NAME {p.B.ModuleName(p.T())} ( COMMA attr )* {p.B.HeaderEnd()} ;

attr : ATTR {p.B.Key(p.T())} ( BRACED | NAME | STRING | INT | FLOAT | PATTERN | JSON | BRACKETED | SHAPE | TUPLE ) {p.B.Value(p.Type(), p.T())} ;

tables
  : FILE_NAMES {p.B.Tables()} ( INT {p.B.RowNumber(p.T())} STRING {p.B.FileName(p.T())} )*
    FUNCTION_NAMES ( INT {p.B.RowNumber(p.T())} STRING {p.B.FunctionName(p.T())} )*
    FILE_LOCATIONS ( INT {p.B.RowNumber(p.T())} LBRACE field* RBRACE {p.B.FileLocation()} )*
    STACK_FRAMES ( INT {p.B.RowNumber(p.T())} LBRACE field* RBRACE {p.B.StackFrame()} )*
  ;
field : ATTR {p.B.FieldKey(p.T())} INT {p.B.FieldValue(p.T())} COMMA? ;

// ---- computations ---------------------------------------------------------------------------------------------------

computation : computationBegin instructions computationEnd ;
computationBegin
  : ( ENTRY {p.B.Entry()} )? NAME {p.B.Computation(p.T())}
    ( LPAREN {p.B.Signature()} ( parameter ( COMMA parameter )* )? RPAREN ARROW resultShape {p.B.Result()} )?
    LBRACE
  ;
computationEnd : RBRACE {p.B.ComputationClose()} ( COMMA attr )* {p.B.ComputationEnd()} ;
piece : computationBegin instructions pieceEnd ;
pieceEnd : computationEnd | EOF ;
parameter : NAME ( COLON {p.B.ParameterColon(p.T())} )? resultShape {p.B.ParameterShape()} ;
resultShape : SHAPE {p.B.ShapeToken(p.T())} | {p.B.TupleOpen(p.Next())} tupleShape {p.B.TupleClose(p.T())} ;
tupleShape : ( NAME {p.B.ShapeName(p.T())} )? LPAREN ( ( SHAPE | tupleShape ) ( COMMA ( SHAPE | tupleShape ) )* )? RPAREN ;

// At least one instruction. Lines as XLA prints them are read by Plain, which stops at the first other one.
instructions : {from := p.Next()} lines {p.NotEmpty(from)} ;
noInstruction : {p.B.Instruction(p.Next())} NAME ;
lines
  : {p.Plain()} ( {p.B.Instruction(p.Next())} ( ROOT {p.B.Root()} )? NAME {p.B.Name(p.T())} EQ
    ( ( SHAPE | TUPLE ) {p.B.Shape(p.T())} )?
    ( CONSTANT {p.B.Opcode(p.T())} LITERAL {p.B.Literal(p.T())}
    | OPCODE {p.B.Opcode(p.T())} LPAREN
      ( NAME {p.B.Operand(p.T())} operandTail?
      | SHAPE {p.B.OperandShape(p.T())} ( NAME {p.B.Operand(p.T())} operandTail? )?
      | rareOperand
      )?
      ( COMMA {p.B.OperandComma(p.T())}
        ( NAME {p.B.Operand(p.T())} operandTail?
        | SHAPE {p.B.OperandShape(p.T())} ( NAME {p.B.Operand(p.T())} operandTail? )?
        | rareOperand
        )?
      )*
      RPAREN {p.B.OperandsEnd(p.T())}
    )
    ( COMMA ATTR {p.B.Key(p.T())}
      ( BRACED | NAME | STRING | INT | FLOAT | PATTERN | JSON | BRACKETED | SHAPE | TUPLE ) {p.B.Value(p.Type(), p.T())}
      ( ( BRACED | SCALAR ) {p.B.AttrLiteral(p.T())} )?
    )*
    {p.B.InstructionEnd()} {p.Plain()}
    )*
  ;

// An implicit get-tuple-element (%x#1#0), or the operands of an instruction nested in an operand list. What looks like an
// instruction b(...) with a name behind it is the shape of a buffer.
operandTail
  : ( HASH INT {p.B.ElementOf(p.T())} )+
  | LPAREN {p.B.NestOpen(p.T())} operands RPAREN {p.B.NestClose(p.T())} ( NAME {p.B.Operand(p.T())} )?
  ;
operands : operand? ( COMMA {p.B.OperandComma(p.T())} operand? )* ;
operand
  : NAME {p.B.Operand(p.T())} operandTail?
  | SHAPE {p.B.OperandShape(p.T())} ( NAME {p.B.Operand(p.T())} operandTail? )?
  | rareOperand
  ;
// The number of a parameter, an operand with a tuple shape, a literal nested in an operand list.
rareOperand
  : ( INT | FLOAT | STRING | ELLIPSIS ) {p.B.OperandText(p.T())}
  | LBRACE operands RBRACE {p.B.OperandText(p.T())}
  | LPAREN {p.B.GroupOpen(p.T())} operands RPAREN {p.B.GroupClose(p.T())} ( NAME {p.B.Operand(p.T())} operandTail? )?
  ;

// ---- attribute values -----------------------------------------------------------------------------------------------

item
  : COMMA
  | ( NAME | STRING | INT | FLOAT | PATTERN | SHAPE | JSON | ARROW | ELLIPSIS | COLON | PUNCT ) {p.B.Atom(p.Type(), p.T())}
  | ATTR {p.B.PairKey(p.T())}
    ( ( NAME | STRING | INT | FLOAT | PATTERN | SHAPE | JSON | ARROW | ELLIPSIS | COLON | PUNCT ) {p.B.Atom(p.Type(), p.T())}
    | group
    )
  | group
  ;
group
  : LBRACE {p.B.Open(p.T())} item* RBRACE {p.B.Close(p.T())}
  | LPAREN {p.B.Open(p.T())} item* RPAREN {p.B.Close(p.T())}
  | LBRACK {p.B.Open(p.T())} item* RBRACK {p.B.Close(p.T())}
  ;

open : LBRACE {p.B.Open(p.T())} ;
close : RBRACE {p.B.Close(p.T())} ;
openTuple : LPAREN {p.B.Open(p.T())} ;
closeTuple : RPAREN {p.B.Close(p.T())} ;
openBracket : LBRACK {p.B.Open(p.T())} ;
closeBracket : RBRACK {p.B.Close(p.T())} ;
int : INT {p.B.Atom(p.Type(), p.T())} ;
word : NAME {p.B.Atom(p.Type(), p.T())} ;
colon : COLON {p.B.Atom(p.Type(), p.T())} ;
ints : open ( int ( COMMA int )* )? close ;
intsInBrackets : openBracket ( int ( COMMA int )* )? closeBracket ;
intsInParens : openTuple ( int ( COMMA int )* )? closeTuple ;
keyed : ATTR {p.B.PairKey(p.T())} ( STRING | JSON ) {p.B.Atom(p.Type(), p.T())} ;
shapeTuple : ( NAME {p.B.Atom(p.Type(), p.T())} )? LPAREN {p.B.Open(p.T())} ( ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) ( COMMA ( SHAPE {p.B.Atom(p.Type(), p.T())} | shapeTuple ) )* )? RPAREN {p.B.Close(p.T())} ;
sliceRange : openBracket int colon int ( colon int )? closeBracket ;
axisSize : STRING {p.B.Atom(p.Type(), p.T())} PUNCT {p.B.Atom(p.Type(), p.T())} int ;
axis : STRING {p.B.Atom(p.Type(), p.T())} ( colon openTuple int closeTuple int )? ;

sharding : open ( shardingFlag+ | sharding ( COMMA sharding )* )? close ;
shardingFlag
  : word ( int | intsInParens )? // a flag, or the T(...) behind an iota list
  | ATTR {p.B.PairKey(p.T())}
    ( int
    | intsInBrackets ( int ( COMMA int )* | PUNCT {p.B.Atom(p.Type(), p.T())} intsInBrackets )
    | LBRACE {p.B.Open(p.T())} item* RBRACE {p.B.Close(p.T())}
    )
  ;

// ---- shapes ---------------------------------------------------------------------------------------------------------

shape
  : LPAREN {p.B.TupleBegin()} ( shape ( COMMA shape )* )? RPAREN {p.B.TupleEnd()}
  | ( TYPE | DIM_TYPES | TILES | TAIL | ELEMENT_BITS | MEMORY_SPACE | SPLITS | PHYSICAL | METADATA_PREFIX ) {p.B.ElementType(p.T())}
    ( LBRACK
      ( ( INT {p.B.Dim(p.T(), false)} | dynamicDimension ) ( COMMA ( INT {p.B.Dim(p.T(), false)} | dynamicDimension ) )* )?
      RBRACK layout? {p.B.ArrayEnd(p.T())}
    | LPAREN shape RPAREN {p.B.BufferEnd()}
    )
  ;
typeName : TYPE | DIM_TYPES | TILES | TAIL | ELEMENT_BITS | MEMORY_SPACE | SPLITS | PHYSICAL | METADATA_PREFIX ;
dynamicDimension
  : BOUND INT {p.B.Dim(p.T(), true)}
  | UNBOUNDED {p.B.DimUnbounded()}
  ;
layout
  : LBRACE {p.B.LayoutBegin(p.T())}
    ( INT {p.B.MinorToMajor(p.T())} ( COMMA INT {p.B.MinorToMajor(p.T())} )* ( COLON properties )?
    | COLON properties
    )
    RBRACE {p.B.LayoutEnd(p.T())}
  ;
// XLA reads on after a property that it cannot read, and takes the layout when it ends there: most parentheses are optional.
properties
  : ( DIM_TYPES ( LPAREN {p.B.DimTypesBegin(p.T())} ( typeName MARK* ( COMMA typeName MARK* )* )? RPAREN {p.B.DimTypesEnd(p.T())} )? )?
    ( TILES
      ( LPAREN {p.B.Tile(p.T())}
        ( ( INT {p.B.TileDim(p.T())} | STAR {p.B.TileStar()} ) ( COMMA ( INT {p.B.TileDim(p.T())} | STAR {p.B.TileStar()} ) )* ( RPAREN {p.B.TileEnd()} )?
        | RPAREN {p.B.TileEnd()}
        )
      )*
    )?
    ( TAIL ( LPAREN ( INT {p.B.TailPadding(p.T())} RPAREN? )? )? )?
    ( HASH ( LPAREN typeName {p.B.IndexType(p.T())} RPAREN? )? )?
    ( STAR ( LPAREN typeName {p.B.PointerType(p.T())} RPAREN? )? )?
    ( ELEMENT_BITS ( LPAREN ( INT {p.B.ElementBits(p.T())} RPAREN? )? )? )?
    ( MEMORY_SPACE ( LPAREN ( INT {p.B.MemorySpace(p.T())} RPAREN? )? )? )?
    ( SPLITS ( LPAREN INT {p.B.SplitDim(p.T())} COLON INT {p.B.SplitIndex(p.T())} ( COMMA INT {p.B.SplitIndex(p.T())} )* RPAREN )* )?
    ( PHYSICAL LPAREN {p.B.PhysicalBegin()} shape RPAREN {p.B.PhysicalEnd()} )?
    ( METADATA_PREFIX ( LPAREN ( INT {p.B.MetadataPrefix(p.T())} RPAREN? )? )? )?
  ;
