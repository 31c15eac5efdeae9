//! What the values are in a JSON schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::codes::{Country, Currency};
use super::number::Number;
use super::problem::Problem;
use super::text::Text;

macro_rules! json_schemas {
    ($(($($generic:tt)*) $type:ty: $keyword:literal = $word:literal;)*) => {$(
        impl<$($generic)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({$keyword: $word})
            }
        }
    )*};
}

json_schemas! {
    (const MAX: usize) Text<MAX>: "type" = "string";
    () Country: "type" = "string";
    () Currency: "type" = "string";
    () Number: "type" = "number";
    () Problem: "$ref" = "#/components/schemas/ProblemEntry";
}
