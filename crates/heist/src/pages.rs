//! Inclusion of the pages of the documentation, so that their examples run with the other doc
//! tests.

macro_rules! pages {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = include_str!($file)]
            struct $name;
        )*
    };
}

pages! {
    Readme = "../README.md";
    Tutorial = "../../../docs/tutorial.md";
    Api = "../../../docs/api.md";
    Loops = "../../../docs/guide.md";
    Trees = "../../../docs/guide/trees.md";
    Graphs = "../../../docs/guide/graphs.md";
    Pipelines = "../../../docs/guide/pipelines.md";
    Waiting = "../../../docs/guide/waiting.md";
    Cancelling = "../../../docs/guide/cancelling.md";
    Resizing = "../../../docs/guide/resizing.md";
    Tracing = "../../../docs/guide/tracing.md";
    Tuning = "../../../docs/guide/tuning.md";
    FromRayon = "../../../docs/guide/from-rayon.md";
    FromTokio = "../../../docs/guide/from-tokio.md";
    FromOpenMp = "../../../docs/guide/from-openmp-tbb.md";
    FromGo = "../../../docs/guide/from-go.md";
    Recipes = "../../../docs/guide/recipes.md";
}
