// Lexical syntax of HLO text (XLA's hlo_lexer).
//
// Two grains. The default mode and the modes behind `=` cut a module into coarse tokens: a whole shape, a whole braced
// attribute value, a whole literal is one token, which the reader looks up by its text. The FINE, FRONTEND and LAYOUT
// modes cut such a text into its parts; the same parser grammar reads those, once for each distinct text.
//
// lexgen compiles this file to a byte DFA, so rules may not be recursive and may not use non-greedy loops: nesting is
// written with `more` and mode stacks.
lexer grammar HLOLexer;

tokens { BRACED, TUPLE, JSON, LITERAL, BRACKETED, SCALAR }

// ---- module structure -------------------------------------------------------------------------------------------

HLOMODULE : 'HloModule' ;
ENTRY : 'ENTRY' ;
ROOT : 'ROOT' ;
FILE_NAMES : 'FileNames' ;
FUNCTION_NAMES : 'FunctionNames' ;
FILE_LOCATIONS : 'FileLocations' ;
STACK_FRAMES : 'StackFrames' ;

BACKEND_CONFIG : 'backend_config=' -> type(ATTR), pushMode(JSON_VALUE) ;
FRONTEND_ATTRIBUTES : 'frontend_attributes=' -> type(ATTR), pushMode(FRONTEND_VALUE) ;
LITERAL_ATTR : 'literal=' -> type(ATTR), pushMode(LITERAL_VALUE) ;
ATTR : IDENT '=' -> pushMode(VALUE) ;
EQ : '=' -> pushMode(RESULT) ;

NAME : IDENT ':'? | '%' IDENT ;
SHAPE : ARRAY ;
INT : INTEGER ;
FLOAT : DECIMAL ;
NO_NUMBER : ( DXD | PAD ) -> type(PATTERN) ; // an error where it starts
STRING : QUOTED ;
ARROW : '->' ;
ELLIPSIS : '...' ;
COMMA : ',' ;
COLON : ':' ;
HASH : '#' ;
LBRACE : '{' ;
RBRACE : '}' ;
LPAREN : '(' ;
RPAREN : ')' ;
SPACE : BLANK -> skip ;

// ---- behind `name =`: the result shape, then the opcode -----------------------------------------------------------

mode RESULT;
R_SPACE : BLANK -> skip ;
R_SHAPE : ARRAY -> type(SHAPE), mode(OPERATION) ;
R_TUPLE : ( 'b' )? '(' -> more, mode(RESULT_TUPLE) ;
R_OPCODE : IDENT -> type(OPCODE), popMode ;

mode RESULT_TUPLE;
RT_TEXT : ( ~[()/] | COMMENT )+ -> more ;
RT_OPEN : '(' -> more, pushMode(PARENS) ;
RT_END : ')' -> type(TUPLE), mode(OPERATION) ;

mode OPERATION;
O_SPACE : BLANK -> skip ;
CONSTANT : 'constant' GAP '(' -> mode(CONSTANT_LITERAL) ;
OPCODE : IDENT -> popMode ;

mode CONSTANT_LITERAL;
CL_TEXT : ( ~[()/] | COMMENT )+ -> more ;
CL_OPEN : '(' -> more, pushMode(PARENS) ;
CL_END : ')' -> type(LITERAL), popMode ;

mode PARENS;
P_TEXT : ( ~[()/] | COMMENT )+ -> more ;
P_OPEN : '(' -> more, pushMode(PARENS) ;
P_END : ')' -> more, popMode ;

// ---- behind `key=`: an attribute's value ----------------------------------------------------------------------------

mode VALUE;
V_SPACE : BLANK -> skip ;
V_BRACED : '{' -> more, mode(BRACES) ;
V_TUPLE : ( 'b' )? '(' -> more, mode(VALUE_TUPLE) ;
V_SHAPE : ARRAY -> type(SHAPE), popMode ;
V_IOTA : '[' LIST ']' ( GAP '<=' GAP '[' LIST ']' ( GAP 'T' GAP '(' LIST ')' )? )? -> type(BRACKETED), popMode ;
V_MESH : 'mesh' GAP '[' ( ~["'\]/] | QUOTED | COMMENT )* ']' -> more, mode(MESH) ;
V_STRING : QUOTED -> type(STRING), popMode ;
V_INT : INTEGER -> type(INT), popMode ;
V_FLOAT : DECIMAL -> type(FLOAT), popMode ;
V_PATTERN : ( DIM_LABELS | DXD | PAD ) -> type(PATTERN), popMode ;
V_NAME : ( IDENT | '%' IDENT ) -> type(NAME), popMode ;

mode VALUE_TUPLE;
VT_TEXT : ( ~[()/] | COMMENT )+ -> more ;
VT_OPEN : '(' -> more, pushMode(PARENS) ;
VT_END : ')' -> type(TUPLE), popMode ;

// replica groups of the form mesh[...], device_ids=(...) {axes}: the part behind the `]`
mode MESH;
M_TEXT : ( ~["'{}/] | QUOTED | COMMENT )+ -> more ;
M_OPEN : '{' -> more, mode(MESH_AXES) ;
mode MESH_AXES;
MA_TEXT : ( ~["'{}/] | QUOTED | COMMENT )+ -> more ;
MA_END : '}' -> type(BRACKETED), popMode ;

mode BRACES;
B_TEXT : ( ~["'{}/] | QUOTED | COMMENT )+ -> more ;
B_OPEN : '{' -> more, pushMode(NESTED_BRACES) ;
B_END : '}' -> type(BRACED), popMode ;

mode NESTED_BRACES;
NB_TEXT : ( ~["'{}/] | QUOTED | COMMENT )+ -> more ;
NB_OPEN : '{' -> more, pushMode(NESTED_BRACES) ;
NB_END : '}' -> more, popMode ;

// literal=SHAPE LITERAL: the shape is one token, the literal behind it another
mode LITERAL_VALUE;
LV_SPACE : BLANK -> skip ;
LV_SHAPE : ARRAY -> type(SHAPE), mode(LITERAL_BODY) ;
LV_TUPLE : '(' -> more, mode(VALUE_TUPLE) ;

mode LITERAL_BODY;
LB_SPACE : BLANK -> skip ;
LB_BRACED : '{' -> more, mode(BRACES) ;
LB_COMPLEX : '(' LIST_FLOATS ')' -> type(SCALAR), popMode ;
LB_SCALAR : ( INTEGER | DECIMAL | IDENT ) -> type(SCALAR), popMode ;

// ---- raw JSON: only double-quoted strings hide braces --------------------------------------------------------------

mode JSON_VALUE;
JV_SPACE : BLANK -> skip ;
JV_OPEN : '{' -> more, mode(JSON_BODY) ;
JV_STRING : QUOTED -> type(STRING), popMode ;
JV_NAME : IDENT -> type(NAME), popMode ;

mode JSON_BODY;
JB_TEXT : ( ~["{}] | '"' ( ~["\\] | '\\' . )* '"' )+ -> more ;
JB_OPEN : '{' -> more, pushMode(JSON_NESTED) ;
JB_END : '}' -> type(JSON), popMode ;

mode JSON_NESTED;
JN_TEXT : ( ~["{}] | '"' ( ~["\\] | '\\' . )* '"' )+ -> more ;
JN_OPEN : '{' -> more, pushMode(JSON_NESTED) ;
JN_END : '}' -> more, popMode ;

mode FRONTEND_VALUE;
FV_SPACE : BLANK -> skip ;
FV_OPEN : '{' -> more, mode(FRONTEND_BODY) ;

mode FRONTEND_BODY;
FB_TEXT : ( ~["'{}/] | QUOTED | COMMENT )+ -> more ;
FB_OPEN : '{' -> more, pushMode(JSON_NESTED) ;
FB_END : '}' -> type(BRACED), popMode ;

// ---- the parts of a braced value ------------------------------------------------------------------------------------

mode FINE;
F_SPACE : BLANK -> skip ;
F_ATTR : IDENT '=' -> type(ATTR) ;
F_NAME : ( IDENT ':'? | '%' IDENT ) -> type(NAME) ;
F_SHAPE : ARRAY -> type(SHAPE) ;
F_INT : INTEGER -> type(INT) ;
F_FLOAT : DECIMAL -> type(FLOAT) ;
F_PATTERN : ( DIM_LABELS | DXD | PAD ) -> type(PATTERN) ;
F_STRING : QUOTED -> type(STRING) ;
F_ARROW : '->' -> type(ARROW) ;
F_ELLIPSIS : '...' -> type(ELLIPSIS) ;
F_COMMA : ',' -> type(COMMA) ;
F_COLON : ':' -> type(COLON) ;
F_LBRACE : '{' -> type(LBRACE) ;
F_RBRACE : '}' -> type(RBRACE) ;
F_LPAREN : '(' -> type(LPAREN) ;
F_RPAREN : ')' -> type(RPAREN) ;
LBRACK : '[' ;
RBRACK : ']' ;
PUNCT : '<=' | '=' | '*' | '#' | '+' | '~' | '?' ;
PATTERN : '\u0001' ; // only a type: the values come from V_PATTERN and F_PATTERN

// frontend_attributes={key="text",key={json}}
mode FRONTEND;
FE_SPACE : BLANK -> skip ;
FE_ATTR : IDENT '=' -> type(ATTR), pushMode(JSON_VALUE) ;
FE_COMMA : ',' -> type(COMMA) ;
FE_LBRACE : '{' -> type(LBRACE) ;
FE_RBRACE : '}' -> type(RBRACE) ;

// ---- the parts of a shape -------------------------------------------------------------------------------------------

mode LAYOUT;
L_SPACE : BLANK -> skip ;
DIM_TYPES : 'D' ;
TILES : 'T' ;
TAIL : 'L' ;
ELEMENT_BITS : 'E' ;
MEMORY_SPACE : 'S' ;
SPLITS : 'SC' ;
PHYSICAL : 'P' ;
METADATA_PREFIX : 'M' ;
TYPE : IDENT ;
L_INT : INTEGER -> type(INT) ;
L_NUMBER : ( DECIMAL | DIM_LABELS | DXD | PAD ) -> type(PATTERN) ; // no part of a shape: an error where it starts
L_COMMA : ',' -> type(COMMA) ;
L_COLON : ':' -> type(COLON) ;
L_HASH : '#' -> type(HASH) ;
STAR : '*' ;
BOUND : '<=' ;
UNBOUNDED : '?' ;
MARK : '+' | '~' ;
L_LBRACE : '{' -> type(LBRACE) ;
L_RBRACE : '}' -> type(RBRACE) ;
L_LPAREN : '(' -> type(LPAREN) ;
L_RPAREN : ')' -> type(RPAREN) ;
L_LBRACK : '[' -> type(LBRACK) ;
L_RBRACK : ']' -> type(RBRACK) ;

// ---- fragments ------------------------------------------------------------------------------------------------------

fragment IDENT : [a-zA-Z_] [a-zA-Z0-9_.\-]* ;
fragment COMMENT : '/*' ( ~'*' | '*'+ ~[*/] )* '*'+ '/' | '//' ~[\r\n]* [\r\n] ;
fragment BLANK : ( [ \t\r\n]+ | COMMENT | '//' ~[\r\n]* ) ;
fragment GAP : ( [ \t\r\n] | COMMENT )* ;
fragment LIST : ( [0-9\-, \t\r\n] | COMMENT )* ;
fragment LIST_FLOATS : ( [0-9a-zE+\-., \t\r\n] | COMMENT )* ;
fragment QUOTED : '"' ( ~["\\] | '\\' . )* '"' | '\'' ( ~['\\] | '\\' . )* '\'' ;
fragment INTEGER : '-'? [0-9]+ ;
fragment EXPONENT : [eE] [+\-]? [0-9]+ ;
fragment DECIMAL
  : '-'? [0-9]+ EXPONENT
  | '-'? [0-9]+ '.' [0-9]* EXPONENT?
  | '-' '.' [0-9]+ EXPONENT?
  | '-inf'
  | '-'? 'nan' ( '(0x' [0-9a-fA-F]+ ')' )?
  ;
fragment DIM_LABELS : [0-9bf?] [0-9bf?]+ '_' [0-9io?] [0-9io?]+ '->' [0-9bf?] [0-9bf?]+ ;
fragment DXD : [0-9]+ ( 'x' [0-9]+ )+ ;
fragment PAD1 : '-'? [0-9]+ '_' '-'? [0-9]+ ( '_' [0-9]+ )? ;
fragment PAD : PAD1 ( 'x' PAD1 )* ;
// A shape: its layout belongs to it when the brace is followed by a number or a colon.
fragment ARRAY
  : [a-zA-Z] [a-zA-Z0-9]* GAP '[' ( [0-9<=?\-, \t\r\n] | COMMENT )* ']'
    ( GAP '{' GAP [0-9:\-] ( ~[{}/] | COMMENT | '{' ~[{}]* '}' )* '}' )?
  ;
