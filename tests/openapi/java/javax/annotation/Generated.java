package javax.annotation;

/** Marks generated code. Java has had none since 9; a project takes it from a package. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
