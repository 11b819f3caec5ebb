//! What `heist check`, `heist run` and their like do.

mod files;
